"""What the three invented blogs of examples/corpus write about: titles, tags, sentences."""

# ruff: noqa: E501 - wide characters count twice
from __future__ import annotations

from prose import Voice

ENGLISH = Voice(
    titles=(
        "The lamp room", "A letter from the pilot boat", "Counting gulls", "What the tide table leaves out",
        "Rope, and how to coil it", "Fog on a Tuesday", "The ferry that was painted green",
        "Six kinds of rain", "Barnacles & other tenants", "Who owns the breakwater?",
        "The harbour master's dog", "Winter moorings", "A short history of our crane",
        "Tea at low water", "The new buoy", "Salt in the piano", "Lost and found, again",
        "Why the bell rang twice", "Charts I no longer trust", "The last herring", "Morning, pier four",
    ),
    tags=("Weather", "Boats", "Birds", "People", "Repairs", "History", "Food"),
    headings=("What happened next", "A few numbers", "How it looks today", "What I would do differently"),
    sentences=(
        "{who} came down to {place} {when} and asked about {thing}.",
        "Nobody at {place} had mentioned {thing} before, and {who} was not the first to wonder why.",
        "{when}, {thing} lay beside {place}, and it stayed there until somebody missed it.",
        "I have kept a note about {thing} since {who} told me the story {when}.",
        "It is {how} to write about {thing} without also writing about {who}.",
        "If you stand at {place} {when} you can hear {thing} long before you see it.",
        "{who} says it was {how}, and I see no reason to doubt that.",
        "We measured {thing} twice, once at {place} and once in the kitchen.",
        "The answer turned out to be {how}: {thing} had never left {place}.",
        "Somewhere between {place} and the shop, {who} lost {thing}.",
        "There are {count} steps from {place} to the water, and {who} has fallen on each of them.",
        "By the time the kettle boiled, {who} had explained {thing} {count} times.",
    ),
    slots={
        "who": (
            "the harbour master", "my neighbour Agnes", "the younger of the pilots", "a man in a yellow coat",
            "the woman from the net loft", "our postman", "the crew of the dredger", "an old signalman",
        ),
        "place": (
            "the slipway", "pier four", "the lamp room", "the weigh house", "the outer breakwater",
            "the chandler's door", "the boat shed", "the ferry steps",
        ),
        "when": (
            "before sunrise", "on the last ebb of the month", "after the market closed", "in the middle of lunch",
            "during the second gale", "one clear evening", "just as the fog lifted", "late in October",
        ),
        "thing": (
            "a coil of tarred rope", "the brass foghorn", "the missing tide table", "a crate of lemons",
            "the green dinghy", "an anchor with one fluke", "the ledger of 1931", "a lantern without glass",
            "the parcel for the lighthouse", "a broken barometer", "the smallest of the buoys",
        ),
        "how": (
            "harder than it looks", "entirely reasonable", "a matter of patience", "rather embarrassing",
            "simpler than we feared", "the talk of the quay", "not worth a quarrel",
        ),
        "count": ("three", "seven", "eleven", "nineteen", "twenty-two", "forty"),
    },
)

GERMAN = Voice(
    titles=(
        "Der alte Hobel", "Leim, der nicht klebt", "Ein Stuhl für Frau Öztürk", "Späne zählen",
        "Warum die Tür klemmt", "Drei Sorten Öl", "Die Uhr im Treppenhaus", "Schrauben sortieren",
        "Das Regal, das keiner wollte", "Ein Nachmittag mit Schellack", "Die Säge singt", "Fichte oder Kiefer?",
        "Reparieren im Regen", "Der Schlüssel ohne Schloss", "Zwei linke Hände", "Die Bank am Weiher",
        "Werkzeug verleihen", "Was im Keller lag", "Kleine Fugen, große Sorgen", "Der Griff der Schublade",
    ),
    tags=("Holz", "Werkzeug", "Möbel", "Nachbarn", "Oberflächen", "Keller"),
    headings=("Die Vorbereitung", "Was schiefging", "Material", "Ein Nachtrag"),
    sentences=(
        "{zeit} stand {wer} {ort} und hielt {was} in der Hand.",
        "Niemand hatte damit gerechnet, dass {was} {ort} liegen würde.",
        "{wer} behauptet bis heute, es sei {wie} gewesen.",
        "Ich habe {was} {zeit} vermessen und {zahl} Millimeter zu viel gefunden.",
        "Wer {was} sucht, sollte zuerst {ort} nachsehen.",
        "{zeit} half mir {wer}, und danach war alles {wie}.",
        "Es dauerte {zahl} Stunden, bis {was} endlich passte.",
        "Am Ende lag {was} wieder {ort}, als wäre nichts gewesen.",
        "{wer} erzählte {zeit} von früher, und ich vergaß darüber {was}.",
        "Es klingt vielleicht {wie}, aber {was} bleibt jetzt {ort}.",
        "Mit {zahl} Zwingen und viel Geduld hielt {was} dann doch.",
    ),
    slots={
        "wer": (
            "die Nachbarin", "mein Bruder", "der Lehrling", "Herr Wójcik von gegenüber", "die Postbotin",
            "der Hausmeister", "unsere Älteste", "ein Mann mit Hut",
        ),
        "ort": (
            "hinter der Werkbank", "im Keller", "auf dem Fensterbrett", "unter der Treppe", "neben dem Ofen",
            "im Hof", "zwischen den Brettern", "auf dem Dachboden",
        ),
        "zeit": (
            "am frühen Morgen", "kurz vor Mittag", "nach dem Regen", "am letzten Samstag", "mitten in der Nacht",
            "vor dem Abendessen", "in der ersten Pause",
        ),
        "was": (
            "das krumme Winkelmaß", "die japanische Säge", "eine Dose mit Wachs", "das fehlende Brett",
            "die Kiste aus Messing", "die Rechnung von 1974", "ein Stück Nussbaum", "die zweite Schublade",
            "das Schloss vom Schuppen", "eine Tüte voller Späne",
        ),
        "wie": (
            "ganz einfach", "ziemlich mühsam", "halb so schlimm", "erstaunlich genau", "reine Gewohnheit",
            "völlig übertrieben",
        ),
        "zahl": ("zwei", "drei", "fünf", "acht", "zwölf", "siebzehn"),
    },
)

JAPANESE = Voice(
    titles=(
        "海辺の朝", "駅前の古い時計", "雨の日の台所", "坂道を下る", "猫と郵便受け", "夏の終わりの市場", "小さな図書館の話",
        "祖母の味噌", "風鈴を直す", "終電のあとで", "窓辺の植物", "港の食堂", "自転車を買った", "夜の散歩", "白い犬のこと",
        "橋の上の会話", "冬支度", "写真を整理する", "隣町のパン屋", "星を見る丘",
    ),
    tags=("暮らし", "散歩", "料理", "町", "季節", "道具"),
    headings=("その後のこと", "覚え書き", "少しだけ数字", "次にやること"),
    sentences=(
        "{itsu}、{dare}が{doko}で{nani}を見つけた。",
        "{nani}のことを書こうとすると、いつも{dare}の顔が浮かぶ。",
        "{doko}には{kazu}段の階段があり、{itsu}はとても静かだ。",
        "{dare}は{nani}について、{dou}と言っていた。",
        "{itsu}になると、{doko}まで歩いて{nani}を眺める。",
        "正直に言えば、{nani}を直すのは{dou}と思う。",
        "{kazu}年前、{doko}に{nani}を置いたのは{dare}だったらしい。",
        "帰り道、{doko}の前で{dare}に会い、{nani}の話をした。",
        "それでも{nani}は{doko}に残り、誰も動かそうとしない。",
        "{dare}がくれた{nani}を、{itsu}にもう一度使ってみた。",
    ),
    slots={
        "dare": ("隣の奥さん", "駅員さん", "弟", "図書館の司書", "魚屋の主人", "郵便配達の人", "古い友人"),
        "doko": ("海沿いの道", "駅の改札", "台所の隅", "坂の上の公園", "市場の入り口", "橋のたもと", "商店街の角"),
        "itsu": ("朝早く", "雨の午後", "日が沈むころ", "日曜の昼", "最初の霜の日", "電車を待つあいだ"),
        "nani": ("錆びた鍵", "青い傘", "手書きの地図", "木の椅子", "欠けた茶碗", "小さな風鈴", "古い写真", "味噌の樽"),
        "dou": ("思ったより難しい", "案外たのしい", "少し大げさだ", "まったく普通だ", "時間がかかる"),
        "kazu": ("三", "七", "十二", "二十", "四十"),
    },
    join="",
)
