"""Pictures of the sites: PNG, JPEG, WebP, GIF, ICO and SVG, a dozen of each. Run by the Python that has Pillow.

    python pictures.py FOLDER
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

COUNT = 12
WIDTHS = (320, 640, 1280)


def draw(folder: Path) -> None:
    """All pictures into a folder: N.png, N.jpg, N.webp, N-WIDTH.jpg, N.svg, and those of the design."""
    folder.mkdir(parents=True)
    for number in range(1, COUNT + 1):
        _shore(640, 400, number).save(folder / f"{number}.png")
        _shore(640, 400, number).save(folder / f"{number}.jpg", quality=80)
        _shore(640, 400, number).save(folder / f"{number}.webp", quality=90)
        (folder / f"{number}.svg").write_text(_mark(number), "utf-8")
    for number in (1, 5, 9):
        for width in WIDTHS:
            _shore(width, width * 5 // 8, number).save(folder / f"{number}-{width}.jpg", quality=70)
    _shore(48, 48, 3).save(folder / "face.gif")
    _shore(64, 64, 2).save(folder / "icon.png")
    _shore(32, 32, 2).save(folder / "favicon.ico")
    _tile().save(folder / "tile.png")
    (folder / "sprite.svg").write_text(SPRITE, "utf-8")


def _shore(width: int, height: int, number: int):
    """Waves below a sky, in colours of a number."""
    from PIL import Image, ImageDraw

    hue = number * 47 % 360
    picture = Image.new("RGB", (width, height), f"hsl({hue}, 45%, 82%)")
    pen = ImageDraw.Draw(picture)
    sun = height // 6
    pen.ellipse((width * 2 // 3, sun // 2, width * 2 // 3 + sun, sun // 2 + sun), fill=f"hsl({hue + 40}, 80%, 70%)")
    for layer in range(1, 5):
        top = height * (3 + layer) // 8
        line = [
            (x, top + int(height / 24 * math.sin((x / width * (2 + layer) + number) * math.tau / 2)))
            for x in range(0, width + 1, max(1, width // 80))
        ]
        pen.polygon([(0, height), *line, (width, height)], fill=f"hsl({hue + 12 * layer}, 50%, {70 - 12 * layer}%)")
    return picture


def _tile():
    """What pages have behind them: a weave of two greys."""
    from PIL import Image

    tile = Image.new("RGB", (16, 16), "#f4f1ea")
    for place in range(16):
        tile.putpixel((place, place), (0xE6, 0xE0, 0xD4))
        tile.putpixel((place, 15 - place), (0xEC, 0xE8, 0xDE))
    return tile


def _mark(number: int) -> str:
    points = " ".join(
        f"{100 + 80 * math.sin(k * math.tau / (number + 4)):.1f},{100 - 80 * math.cos(k * math.tau / (number + 4)):.1f}"
        for k in range(number + 4)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">'
        f'<rect width="200" height="200" fill="hsl({number * 29},40%,90%)"/>'
        f'<polygon points="{points}" fill="none" stroke="hsl({number * 29},60%,35%)" stroke-width="6"/></svg>\n'
    )


SPRITE = """<svg xmlns="http://www.w3.org/2000/svg">
<symbol id="leaf" viewBox="0 0 24 24"><path d="M4 20C4 9 12 4 20 4c0 8-5 16-16 16z" fill="currentColor"/></symbol>
<symbol id="wave" viewBox="0 0 24 24">
<path d="M2 12c4-6 6 6 10 0s6 6 10 0v6H2z" fill="currentColor"/>
</symbol>
</svg>
"""

if __name__ == "__main__":
    draw(Path(sys.argv[1]))
