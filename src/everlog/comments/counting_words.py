"""The words in which blogs count comments: what themes print in the translations that engines ship. All are folded."""

from __future__ import annotations

# Comments, answers, thoughts, in the cases that stand behind a number.
COMMENTS = (
    r"comments?|responses?|repl(?:y|ies)|thoughts?|reactions?"  # English
    r"|kommentare?n?|antwort(?:en)?|gedanken?|reaktion(?:en)?|rückmeldung(?:en)?|meinung(?:en)?"  # German
    r"|commentaires?|réponses?|réflexions?|réactions?|pensées?"  # French
    r"|comentarios?|respuestas?|pensamientos?|comentários?|respostas?|pensamentos?"  # Spanish, Portuguese, Galician
    r"|comment[oi]|rispost[ae]|pensier[oi]|comentaris?|respost(?:a|es)"  # Italian, Catalan
    r"|reacties?|commentaren|antwoord(?:en)?|gedachten?"  # Dutch
    r"|комментари(?:й|я|ев)|ответ(?:а|ов)?|отзыв(?:а|ов)?|мысл(?:ь|и|ей)"  # Russian
    r"|коментар(?:і|ів|я|а|ь|и)?|відповід(?:ь|і|ей)|думк[аи]|думок"  # Ukrainian, Bulgarian, Serbian
    r"|komentarz(?:e|y)?|odpowiedzi?|odpowiedź|myśli?"  # Polish
    r"|komentář[eůi]?|reakc(?:e|í)|odpověd[ií]?|odpověď|komentár(?:e|ov)?|odpoved[eí]"  # Czech, Slovak
    r"|komentar(?:a|i|ja|ji|jev|e|ai|as|ų)?|komentār[si]|kommentaari?"  # Croatian, Slovenian, Baltic
    r"|kommentar(?:er)?|svar|tank(?:ar|er)|kommentti[a]?|vastaus(?:ta)?|ajatus(?:ta)?"  # Nordic
    r"|yorum|cevap|yanıt|düşünce|hozzászólás|megjegyzés|válasz"  # Turkish, Hungarian
    r"|comentari(?:u|i)|răspuns(?:uri)?|gând(?:uri)?|σχόλι(?:ο|α)|σκέψ(?:η|εις)"  # Romanian, Greek
    r"|tanggapan|balasan|bình luận|phản hồi|iruzkin"  # Indonesian, Vietnamese, Basque
    r"|תגוב(?:ה|ות)|تعليق(?:ات)?|دیدگاه|ความ(?:คิด)?เห็น"  # Hebrew, Arabic, Persian, Thai
    r"|コメント|フィードバック|返信|评论|評論|留言|回复|回覆|回应|回應|响应|迴響|댓글|답글|응답|생각"
)
# What stands between a number and its noun.
COUNTERS = r"条|條|則|则|个|個|篇|件の|件|개의|개|つの|новых|new|neue|nouveaux|users?"
ONE = r"one|eine?|une?|um[ao]?|un[ao]|één|ett|jed(?:en|na|no)|один|одна|ένα|bir|yksi|một"
NONE = (
    r"no|zero|keine?|aucune?|pas de|sin|sem|nenhum|nessun[ao]?|cap|geen|ingen|inga|inget|brak|žádn[ýé]|bez|нет"
    r"|немає|няма|hiç|nincs|niciun|fără|κανένα|belum ada|tidak ada|chưa có|还没有|沒有|没有|暂无|尚無|暫無|無"
)
