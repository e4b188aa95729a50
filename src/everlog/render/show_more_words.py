"""How a control says that it shows more comments, in the languages of blogs. JavaScript regular expressions."""

from __future__ import annotations


def _words(words: str, signs: str) -> str:
    # Scripts without spaces have no ends of words.
    return rf"(?<!\p{{L}})(?:{words})(?!\p{{L}})|(?:{signs})"


_MORE = _words(
    "more|all|older|newer|previous|next|earlier|remaining|mehr|alle|ältere|weitere|frühere|plus|tous|toutes|anciens|"
    "suivants|précédents|más|todos|anteriores|mais|più|tutti|altri|precedenti|meer|oudere|więcej|wszystkie|starsze|"
    "ещё|еще|больше|все|предыдущие|ще|більше|усі|всі|daha fazla|tümü|diğer|fler|alla|äldre|flere|ældre|eldre|lisää|"
    "kaikki|vanhemmat|více|další|starší|viac|ďalšie|több|összes|régebbi|mai multe|toate|lainnya|selengkapnya|semua|"
    r"thêm|tất cả|περισσότερ\p{L}*|المزيد|جميع|עוד|הכל|بیشتر",
    "更多|全部|所有|其余|もっと|すべて|全て|더|모두|전체",
)
_SHOW = _words(
    "load|show|view|see|display|open|expand|read|laden|lade|anzeigen|zeigen|zeige|einblenden|öffnen|charger|afficher|"
    "voir|montrer|cargar|mostrar|ver|carregar|exibir|carica|mostra|vedi|visualizza|toon|tonen|bekijk|laad|pokaż|"
    "zobacz|wczytaj|załaduj|показать|загрузить|посмотреть|открыть|показати|завантажити|göster|yükle|gör|visa|ladda|"
    "vis|indlæs|last inn|näytä|lataa|zobrazit|načíst|zobraziť|načítať|mutasd|mutass|megjelenítése|betöltése|afișează|"
    "încarcă|vezi|εμφάνιση|προβολή|φόρτωση|tampilkan|muat|lihat|xem|hiển thị|tải|عرض|تحميل|הצג|טען|نمایش",
    "加载|載入|查看|显示|顯示|展开|展開|表示|読み込|見る|보기|불러오기",
)
_COMMENTS = _words(
    r"comment\p{L}*|reply|replies|responses?|discussion|kommentar\p{L}*|antwort\p{L}*|réponses?|comentário\p{L}*|"
    r"comentario\p{L}*|respuestas?|respostas?|commenti|risposte|reacties?|antwoorden|komentarz\p{L}*|odpowiedzi|"
    r"комментари\p{L}*|ответ\p{L}*|коментар\p{L}*|відповід\p{L}*|yorum\p{L}*|yanıt\p{L}*|svar|kommentit|vastaukset|"
    r"komentář\p{L}*|odpověd\p{L}*|komentár\p{L}*|hozzászólás\p{L}*|válasz\p{L}*|comentarii|răspunsuri|σχόλι\p{L}*|"
    r"απαντήσεις|komentar|balasan|bình luận|تعليق\p{L}*|ردود|תגובות|نظرات|دیدگاه\p{L}*",
    "评论|評論|留言|回复|回覆|コメント|返信|댓글|답글",
)


def _together(one: str, other: str) -> str:
    return rf"(?:{one}).{{0,25}}(?:{other})|(?:{other}).{{0,25}}(?:{one})"


# "Show more" says enough where all around it is comments; "comments" alone does not.
WANTED = "|".join((_together(_MORE, _SHOW), _together(_MORE, _COMMENTS), _together(_SHOW, _COMMENTS), r"^\W*more\W*$"))
UNWANTED = _words(
    "hide|less|collapse|close|cancel|delete|report|share|add|write|leave|post|sign|login|log in|subscribe|"
    "ausblenden|weniger|schreiben|masquer|moins|ajouter|écrire|ocultar|menos|escribir|escrever|nascondi|meno|scrivi|"
    "verberg|minder|schrijf|ukryj|dodaj|napisz|скрыть|написать|добавить|gizle|ekle|yaz|dölj|skriv|skjul|piilota|إخفاء",
    "收起|隐藏|隱藏|发表|發表|写|閉じる|隠す|書く|숨기기|접기|쓰기",
)
# What an element that holds comments calls itself, in its id or its classes.
AROUND = r"comment|kommentar|coment|discuss|disqus|repl(?:y|ies)|respon(?:d|se)|thread|guestbook"
