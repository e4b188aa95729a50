"""The pieces of a page."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from compared_pages import page
from hypothesis import given
from hypothesis import strategies as st

from everlog.extract.extractors.diffpost.units import Units, elements_covered, sums


def run_texts(body: str) -> list[str]:
    outline = page(body)
    units = Units(outline)
    stretches = zip(units.start[units.runs].tolist(), units.stop[units.runs].tolist(), strict=True)
    return ["".join(outline.segments[start:stop]) for start, stop in stretches]


def test_every_text_stands_in_exactly_one_run():
    assert run_texts("<div>one <b>two</b><p>three</p>four<br>five</div>") == ["one two", "three", "fourfive"]


def test_runs_know_their_letters_and_those_in_links():
    units = Units(page("<p>abc <a href='/'>de</a></p><p>12 f</p>"))
    assert units.letters.tolist() == [5, 1]
    assert units.linked.tolist() == [2, 0]


def test_links_are_counted_in_full_wherever_they_are_asked_for():
    outline = page("<p>abc <a href='/'>de</a></p><p>12 f <a href='/'>ghi</a> <a name=x>jk</a></p><p><a href='/'>l</a>")
    units = Units(outline)
    asked = np.array(["f" in segment for segment in outline.segments])
    assert units.linked.tolist() == [2, 3, 1]
    assert units.linked_around(asked).tolist() == [0, 3, 0]


def test_numbers_and_signs_are_shown_but_blanks_are_not():
    outline = page("<p>12</p><p>\u00a0 \t</p><p>&amp;</p><p>a</p><p>\u3000</p><style>b</style>")
    units = Units(outline)
    everything = [segment for segment, is_in in zip(outline.segments, units.spoken, strict=True) if is_in]
    assert everything == ["12", "&", "a", "\u3000"]
    assert not units.shown(np.zeros(len(outline.segments), np.bool_)).any()


def test_fingerprints_are_the_same_in_every_process():
    script = (
        "from lxml import etree; from everlog.core.outline import Outline;"
        "from everlog.extract.extractors.diffpost.units import Units;"
        "print(Units(Outline(etree.fromstring('<div><p>Menu</p>x<b>y</b></div>'))).prints.tolist())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True, env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert runs[0].startswith(b"[")


def test_pages_laid_together_have_the_pieces_of_each():
    one, two = page("<p>Menu</p><div>x<b>y</b></div>"), page("<p>Rain <i>today</i></p>")
    together = Units(one, two)
    for place, outline in enumerate((one, two)):
        alone = Units(outline)
        assert sorted(together.prints[together.owner == place].tolist()) == sorted(alone.prints.tolist())
        assert together.pages[place] == alone.pages[0]


def test_the_segments_of_elements_are_marked():
    outline = page("<p>a</p><p>b</p>")
    place = next(place for place, element in enumerate(outline.elements) if element.text == "b")
    marked = elements_covered(outline, [place])
    assert [segment for segment, is_in in zip(outline.segments, marked, strict=True) if is_in] == ["b"]
    assert not elements_covered(outline, []).any()


@given(st.text(alphabet="ab 1é雨", max_size=30), st.text(alphabet="ab 1é雨", max_size=30))
def test_pieces_are_alike_where_their_letters_are(one, two):
    def letters(text: str) -> str:
        return "".join(character for character in text if character not in " 1")

    prints = [set(Units(page(f"<p>{text}</p>")).prints.tolist()) for text in (one, two)]
    assert (prints[0] == prints[1]) is (letters(one) == letters(two))


def test_sums_begin_with_nothing():
    assert sums(Units(page("<p>ab</p>")).lengths).tolist()[-1] == 2
