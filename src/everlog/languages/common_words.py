"""Languages told by their commonest words or by their script: what most texts need, without a model of languages."""

from __future__ import annotations

import re
from collections import Counter

from everlog.core.words import words

# The words that make up most of any text in a language. Not among them: single letters of the Latin script, which are
# variables of code, and "in" and "is", which half of Europe writes.
_COMMON = {
    "en": "the and of to that for with you this are it have",
    "de": "der die und das ist nicht ein mit ich auch auf den",
    "fr": "le la les des et est une pour dans que pas vous",
    "es": "el los las una que por con para del es se más como pero lo",
    "pt": "os uma que não para com do da em por é um",
    "it": "il di che la per una non con del sono è gli",
    "ca": "el els les una que per amb del és no dels",
    "nl": "het een van dat niet voor met ik op zijn ook maar",
    "sv": "och att det som en är på inte för med av jag",
    "da": "og at det som en er på ikke for med af jeg",
    "no": "og å det som en er på ikke for med av jeg",
    "fi": "ja on ei se että kun mutta niin oli ovat myös joka",
    "pl": "nie na się do że jest jak ale przez po czy tym",
    "cs": "se na je že to ale jsem pro jako si které jsou",
    "sk": "sa na je že to ale som pre ako si ktoré sú",
    "hu": "az és hogy nem egy meg csak van ha vagy már azt",
    "ro": "și în nu că să cu pe care este mai pentru din sau",
    "tr": "ve bir bu için da ile çok olarak daha gibi olan kadar sonra değil",
    "hr": "je na da se za su od koji što nije kao",
    "ru": "и в не на что с я как это по но для от из",
    "uk": "і в не на що з я як це та але для",
    "bg": "да за се от е че са ще като това със при",
    "el": "και το να η του της την που με για από δεν",
    "id": "yang dan di ini untuk dengan itu tidak dari dalam saya pada",
    "vi": "là và của có không cho một những các được trong người",
    "ar": "في من على أن إلى هذا التي ما لا هذه كان عن",
    "fa": "و در به از که این را با است برای آن یک",
    "he": "של את לא על זה אני עם הוא כל גם או אבל",
    "hi": "है के में की को से का और पर यह ने नहीं",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _spelled in _COMMON.items():
    for _word in _spelled.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
# The share of words that are common ones of its language: with 1,000 letters of 2,308 posts in 13 languages, at least
# this, and more than of any other language, in 99 % (Catalan 93 %, Turkish 82 %). On 11 of them, of another language
# than the text's: quotations, mostly.
LEAST_COMMON = 0.04
# Scripts that one language writes in, and how much of a text in that language is in it: Japanese has kana, where
# Chinese has Han alone.
_SCRIPTS = {
    "ja": re.compile("[\u3041-\u3096\u30a1-\u30fa]"), "ko": re.compile("[\uac00-\ud7a3]"),
    "zh": re.compile("[\u4e00-\u9fff]"), "th": re.compile("[\u0e01-\u0e2e]"), "he": re.compile("[\u05d0-\u05ea]"),
    "el": re.compile("[\u0391-\u03c9]"), "hy": re.compile("[\u0561-\u0586]"), "ka": re.compile("[\u10d0-\u10f0]"),
}
LEAST_OF_SCRIPT = 0.1
_ANY_SCRIPT = re.compile("|".join(script.pattern for script in _SCRIPTS.values()))


def language_by_words(text: str) -> str | None:
    """The language whose commonest words, or whose script, a text is full of; None if there is no such language.

    >>> language_by_words("The rain fell on the roof of the house, and we sat in it")
    'en'
    >>> language_by_words("Шёл дождь, и мы не знали, что делать"), language_by_words("雨が降っていた")
    ('ru', 'ja')
    """
    if not text.isascii() and _ANY_SCRIPT.search(text):
        letters = sum(map(str.isalpha, text))
        for language, script in _SCRIPTS.items():
            if len(script.findall(text)) >= LEAST_OF_SCRIPT * letters:
                return language
    spoken = words(text)
    counts: Counter[str] = Counter()
    for word, times in Counter(spoken).items():
        for language in _LANGUAGES_OF.get(word, ()):
            counts[language] += times
    if not counts:
        return None
    language, count = counts.most_common(1)[0]
    return language if count >= LEAST_COMMON * len(spoken) else None
