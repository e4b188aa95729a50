"""Noise left and content stripped by comparing pages: the tables of the paper on noise, and the anchor-text sweep.

    python benchmarks/noise.py                                       # both tables; two minutes with two processes
    python benchmarks/noise.py --output sweep.svg                    # and the sweep as a figure
    python benchmarks/noise.py --blogs 12 --comparison 1 5 20

`papers.noise` says how the figures are defined.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import add_corpus_arguments, chosen_blogs, say
from papers.noise import FIGURES, anchor_sweep, noise_table
from tables import markdown_table, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rows = Sequence[Mapping[str, Any]]

# Told apart by readers who see few colours (Okabe and Ito), and by their dashes in print.
LINES = {"content stripped": ("#d55e00", "-"), "noise left": ("#0072b2", (0, (6, 2))),
         "noise removed": ("#009e73", (0, (1.5, 1.5)))}
# The paper's choice, and ours.
CHOSEN = 0.6


def table(rows: Rows) -> str:
    """Rows as Markdown, figures in per cent."""
    heads = list(rows[0])
    return markdown_table(
        heads, [[percent(row[head]) if head in FIGURES else row[head] for head in heads] for row in rows],
    )


def draw(rows: Rows, output: Path) -> None:
    """The sweep, in the format that the name of the file asks for."""
    import matplotlib as mpl  # noqa: PLC0415 - only for the figure
    from matplotlib import pyplot as plt  # noqa: PLC0415

    mpl.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
                         "svg.hashsalt": "noise"})
    figure, (low, high) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    ratios = [float(row["text outside links"]) for row in rows]
    for name, (colour, dashes) in LINES.items():
        axes = high if name == "noise removed" else low
        axes.plot(ratios, [100 * row[name] for row in rows], color=colour, linestyle=dashes, linewidth=2.2,
                  marker="o", markersize=4, label=name)
    for axes in (low, high):
        axes.axvline(CHOSEN, color="#888888", linestyle="--", linewidth=1.1, zorder=1)
        axes.set_xlabel("Least share of text outside links")
        axes.set_ylabel("per cent of words")
        axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.legend(frameon=False)
    low.set_ylim(bottom=0)
    figure.savefig(output, dpi=160, metadata={"Date": None} if output.suffix == ".svg" else None)
    plt.close(figure)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--comparison", type=int, nargs="+", default=[1, 3, 5], metavar="N",
                        help="numbers of comparison pages (default: 1 3 5)")
    parser.add_argument("--output", type=Path, help="draw the sweep: .svg, .png or .pdf")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    blogs = chosen_blogs(arguments)
    noise = noise_table(blogs, arguments.comparison, jobs=arguments.jobs, done=say)
    sweep = anchor_sweep(blogs, jobs=arguments.jobs, done=say)
    if arguments.output:
        draw(sweep, arguments.output)
        say(f"{arguments.output} written")
    if arguments.json:
        print(json.dumps({"noise": noise, "sweep": sweep}))
    else:
        print(f"{table(noise)}\n\n{table(sweep)}")


if __name__ == "__main__":
    main()
