"""Languages that everlog knows words of: tables of months, common words and scripts are of these, and of no others."""

from __future__ import annotations

# Those with more blogs first: where two languages give one name to different months, the first of them is meant.
LANGUAGES = (
    "en", "de", "fr", "es", "pt", "it", "ru", "pl", "nl", "tr", "cs", "uk", "sv", "da", "nb", "fi", "hu", "ro", "el",
    "ca", "sk", "bg", "hr", "sr", "sl", "lt", "lv", "et", "eu", "gl", "id", "is", "vi", "ar", "fa", "he", "hi", "th",
    "ko", "ja", "zh", "hy", "ka",
)
# The languages of most blogs, beside English: tried where those that a blog names fail.
COMMON_LANGUAGES = LANGUAGES[1:13]
