"""How sure a reading is: from what was measured on the blog's own pages to the chance that another one is right.

A design that was right on all of ten pages is not right on all others. The chance is the mean of what the pages
say and of what is known of the method on other blogs (a beta prior), which weighs as much as some pages more.
`benchmarks/calibration.py` fits the priors and measures them by cross-validation over blogs.
"""

from __future__ import annotations

# A page is read right when its article's likeness (F1 of words) to the truth is at least this.
STRICT = 0.95
# Method -> how many pages, read right and not, the experience with other blogs is worth. Fitted on 84 blogs, each
# learned in three ways (benchmarks/calibration.py). Priors fitted without a blog miss by 0.008 (feed), 0.016 (cut
# feed) and 0.018 (no feed) on it. The lines' weights were trained on the same blogs, so their prior is that of their
# own cross-validation, 90.6 % right; statements were met on 7 blogs only and get no more credit than lines.
PRIORS: dict[str, tuple[float, float]] = {
    "feed-text": (30.0, 0.5), "excerpt": (30.0, 0.5), "pages": (30.0, 0.3), "repeats": (30.0, 0.5),
    "lines": (12.0, 1.2), "metadata": (12.0, 1.2),
}


def confidence(method: str, right: int, judged: int) -> float:
    """The chance that a page is read right, in [0, 1].

    >>> confidence("feed-text", 10, 10) > confidence("feed-text", 9, 10) > confidence("feed-text", 5, 10) > 0.5
    True
    """
    good, bad = PRIORS[method]
    return round((right + good) / (judged + good + bad), 4)
