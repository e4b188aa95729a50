"""Sites: built once by their generators into a folder of the cache that is named after all that they were made from."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import pytest

from made_sites.posts import CDN, SITE, comments_html, posts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from made_sites.posts import SitePost

HERE = Path(__file__).parent
DESIGNS, PARTS_LIST = HERE / "designs", HERE / "parts.json"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everlog" / "sites"
PARTS = CACHE / f"parts-{hashlib.sha256(PARTS_LIST.read_bytes()).hexdigest()[:12]}"
FONTS = {
    "lora-400": "lora/files/lora-latin-400-normal.woff2", "lora-700": "lora/files/lora-latin-700-normal.woff2",
    "fira-400": "fira-sans/files/fira-sans-latin-400-normal.woff2",
    "fira-700": "fira-sans/files/fira-sans-latin-700-normal.woff2",
}
# Fonts of icons, which themes take from a CDN that serves packages of npm.
ICONS = {
    "@fortawesome/fontawesome-free": ("css/all.min.css", "webfonts"),
    "fork-awesome": ("css/fork-awesome.min.css", "fonts"),
}
# Files that a theme has others serve: the tests' own second host serves something in place of them.
_ELSEWHERE = re.compile(
    r"(?:https?:)?//(?:fonts\.googleapis\.com|fonts\.gstatic\.com|cdn\.jsdelivr\.net|cdnjs\.cloudflare\.com|unpkg\.com|"
    r"i\.loli\.net|cdn\.cbd\.int|use\.fontawesome\.com|files\.stork-search\.net)",
)
_NOT_INSTALLED = "the generators of sites are not installed: scripts/install-site-parts"
TEXTS = {".html", ".css", ".xml", ".js", ".json", ".svg", ".txt", ".webmanifest", ".atom"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSite:
    """A built site: the files of its two hosts."""

    own: Path
    cdn: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site to be built: its generator and theme, and the pages that are looked at besides its front page."""

    name: str
    generator: str
    theme: str
    make: Callable[[Workshop], Path]
    archive: str
    # Content types that are not what the server says by itself, by how a path ends.
    types: Mapping[str, str] = field(default_factory=dict)
    # Encodings of files that were written as UTF-8, by how a path ends.
    encodings: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        return [each.name for each in SITES].index(self.name)

    @property
    def pages(self) -> tuple[str, ...]:
        """The front page, two posts, and the list of all posts. Which two is another choice on every site."""
        all_posts = posts()
        shown = [all_posts[(self.number * 2 + place) % len(all_posts)] for place in (0, 7)]
        return ("/", *(f"/posts/{post.slug}/" for post in shown), self.archive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """A folder to build a site in, and what every site is made from."""

    folder: Path
    pictures: Path

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def run(self, *command: str | Path) -> None:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "PYTHONWARNINGS": "ignore", "JEKYLL_ENV": "production", "ELEVENTY_ENV": "production",
        }
        done = subprocess.run(
            [*map(str, command)], cwd=self.folder, env=environment, check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout.decode(errors='replace')[-4_000:]}")

    def add_shared(self, folder: str) -> None:
        """Pictures, fonts, a page for a frame and a script, for a site's own host."""
        into = self.folder / folder
        shutil.copytree(DESIGNS / "shared", into, dirs_exist_ok=True)
        shutil.copytree(self.pictures, into / "pictures")
        shutil.copyfile(self.pictures / "favicon.ico", into / "favicon.ico")
        add_fonts(into / "fonts")

    def use_node(self, package: str) -> Path:
        """The folder of a package of npm. Generators look for plugins beside themselves."""
        link = self.folder / "node_modules"
        if not link.exists():
            link.symlink_to(PARTS / "node" / "node_modules")
        return link / package


def needs_sites() -> pytest.MarkDecorator:
    """Mark of tests that are left out, with a remark, where generators could not be installed; in CI they fail."""
    missing = not (PARTS.exists() and shutil.which("jekyll")) and os.environ.get("CI") != "true"
    return pytest.mark.skipif(missing, reason=_NOT_INSTALLED)


def built(site: Site) -> MadeSite:
    """The files of a site: of the cache, or built now; others wait meanwhile."""
    if not PARTS.exists():
        raise RuntimeError(_NOT_INSTALLED)
    kept = CACHE / f"built-{_made_from()}" / site.name
    kept.parent.mkdir(parents=True, exist_ok=True)
    with (kept.parent / f".{site.name}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            with TemporaryDirectory(prefix="everlog-site-") as name:
                workshop = Workshop(folder=Path(name) / "work", pictures=Path(name) / "drawn")
                workshop.folder.mkdir()
                draw_pictures(workshop.pictures)
                _keep(site, site.make(workshop), workshop, kept)
    return MadeSite(own=kept / "own", cdn=kept / "cdn")


def _keep(site: Site, made: Path, workshop: Workshop, kept: Path) -> None:
    """Add what a generator does not make, put files into their encodings, and move all to its place."""
    new = Path(f"{kept}.new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(made, new / "own")
    for name, text in (("feed.xml", _rss()), ("sitemap.xml", _sitemap(site))):
        if not any(new.joinpath("own").rglob("*.xml")) or name == "sitemap.xml":
            (new / "own" / name).write_text(text, "utf-8")
    for file in new.joinpath("own").rglob("*"):
        if file.is_file() and file.suffix in TEXTS:
            text = _ELSEWHERE.sub(f"{CDN}/css", file.read_text("utf-8"))
            encoding = next((to for end, to in site.encodings.items() if str(file).endswith(end)), "utf-8")
            file.write_bytes(text.encode(encoding, "xmlcharrefreplace"))
    shutil.copytree(DESIGNS / "cdn", new / "cdn")
    shutil.copytree(workshop.pictures, new / "cdn" / "pictures")
    add_fonts(new / "cdn" / "fonts")
    _add_icons(new / "cdn" / "css" / "npm")
    new.rename(kept)


def draw_pictures(folder: Path) -> None:
    """All pictures of the posts into a new folder, and a film that nobody plays."""
    python = PARTS / "python" / "bin" / "python"
    subprocess.run([str(python), str(HERE / "pictures.py"), str(folder)], check=True, capture_output=True)
    (folder / "tide.mp4").write_bytes(b"\0\0\0\x14ftypisom\0\0\2\0isom\0\0\0\x08mdat")


def add_fonts(folder: Path) -> None:
    folder.mkdir()
    for name, file in FONTS.items():
        shutil.copyfile(PARTS / "node" / "node_modules" / "@fontsource" / file, folder / f"{name}.woff2")


def _add_icons(folder: Path) -> None:
    listed = json.loads(PARTS_LIST.read_text("utf-8"))["npm"]
    for name, (sheet, fonts) in ICONS.items():
        package, into = PARTS / "node" / "node_modules" / name, folder / f"{name}@{listed[name]}"
        (into / sheet).parent.mkdir(parents=True)
        shutil.copyfile(package / sheet, into / sheet)
        shutil.copytree(package / fonts, into / fonts, ignore=shutil.ignore_patterns("*.svg", "*.eot"))


@cache
def _made_from() -> str:
    """The digest of all that sites are made from."""
    files = sorted(file for file in HERE.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    told = hashlib.sha256()
    for file in files:
        if file.name not in {"serving.py", "looking.py", "comparing.py", "player.py"}:
            told.update(f"{file.relative_to(HERE)}\n".encode() + file.read_bytes())
    return told.hexdigest()[:12]


def _rss() -> str:
    items = "".join(
        f"<item><title>{escape(post.title)}</title><link>{SITE}/posts/{post.slug}/</link>"
        f"<guid>{SITE}/posts/{post.slug}/</guid><pubDate>{post.published:%a, %d %b %Y %H:%M:%S} +0000</pubDate>"
        f"<description>{escape(post.body)}</description></item>\n"
        for post in reversed(posts())
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>Harbour</title>'
        f"<link>{SITE}/</link>"
        f"<description>Notes</description>\n{items}</channel></rss>\n"
    )


def _sitemap(site: Site) -> str:
    paths = ["/", site.archive, *(f"/posts/{post.slug}/" for post in posts())]
    listed = "".join(f"<url><loc>{SITE}{path}</loc></url>\n" for path in paths)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{listed}</urlset>\n"
    )


def _fronted(post: SitePost, *, comments_apart: bool, **fields: object) -> str:
    """A post as Markdown below its fields, which are JSON and so YAML as well. Own designs place comments apart."""
    said = {
        "title": post.title, "date": f"{post.published:%Y-%m-%dT%H:%M:%SZ}", "slug": post.slug, "number": post.number,
        **fields,
    }
    if comments_apart:
        said["comments_html"] = comments_html(post)
    body = post.body if comments_apart else f"{post.body}\n\n{comments_html(post)}"
    lines = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in said.items())
    return f"---\n{lines}\n---\n\n{body}\n"


def _hugo(shop: Workshop, *, own: bool) -> Path:
    hugo = (PARTS / "python" / "bin" / "python", "-m", "hugo")
    if own:
        shutil.copytree(DESIGNS / "harbour", shop.folder, dirs_exist_ok=True)
    else:
        shop.write("hugo.toml", "")
        shop.run(*hugo, "new", "theme", "skeleton")
        shutil.rmtree(shop.folder / "themes" / "skeleton" / "content", ignore_errors=True)
        shop.write("hugo.toml", (DESIGNS / "settings" / "hugo-skeleton.toml").read_text("utf-8"))
    shop.add_shared("static")
    for post in posts():
        text = _fronted(post, comments_apart=own, tags=post.tags)
        shop.write(f"content/posts/{post.slug}.md", text)
    shop.run(*hugo, "--destination", "public", "--cacheDir", shop.folder / "cache")
    return shop.folder / "public"


def _jekyll(shop: Workshop, *, own: bool) -> Path:
    if own:
        shutil.copytree(DESIGNS / "ledger", shop.folder, dirs_exist_ok=True)
    else:
        shutil.copyfile(DESIGNS / "settings" / "jekyll-minima.yml", shop.folder / "_config.yml")
        shop.write("index.md", "---\nlayout: home\n---\n")
        shop.write(
            "archive.md",
            "---\nlayout: page\ntitle: Archive\npermalink: /archive/\n---\n\n"
            "{% for post in site.posts %}- [{{ post.title }}]({{ post.url }})\n{% endfor %}",
        )
    for post in posts():
        text = _fronted(post, comments_apart=own, layout="post", tags=post.tags)
        shop.write(f"_posts/{post.published:%Y-%m-%d}-{post.slug}.md", text)
    shop.add_shared(".")
    shop.run("jekyll", "build", "--disable-disk-cache", "--quiet", "--destination", "_site")
    return shop.folder / "_site"


def _pelican(shop: Workshop, *, theme: str) -> Path:
    shutil.copyfile(DESIGNS / "settings" / "pelican.py", shop.folder / "pelicanconf.py")
    for post in posts():
        shop.write(
            f"content/posts/{post.slug}.md",
            f"Title: {post.title}\nDate: {post.published:%Y-%m-%d %H:%M}\nSlug: {post.slug}\n"
            f"Tags: {', '.join(post.tags)}\nCategory: notes\n\n{post.body}\n\n{comments_html(post)}\n",
        )
    shop.add_shared("content")
    python = PARTS / "python" / "bin" / "python"
    shop.run(python, "-m", "pelican", "-s", "pelicanconf.py", "-t", theme, "-o", "output", "content")
    return shop.folder / "output"


def _nikola(shop: Workshop, *, theme: str) -> Path:
    settings = (DESIGNS / "settings" / "nikola.py").read_text("utf-8")
    shop.write("conf.py", f"{settings}THEME = {theme!r}\n")
    for post in posts():
        told = {
            "title": post.title, "slug": post.slug, "date": f"{post.published:%Y-%m-%d %H:%M:%S} UTC",
            "tags": ", ".join(post.tags),
        }
        head = "\n".join(f".. {name}: {value}" for name, value in told.items())
        shop.write(f"posts/{post.slug}.md", f"<!--\n{head}\n-->\n\n{post.body}\n\n{comments_html(post)}\n")
    shop.add_shared("files")
    shop.run(PARTS / "python" / "bin" / "python", "-m", "nikola", "build")
    return shop.folder / "output"


def _hexo(shop: Workshop, *, theme: str) -> Path:
    listed = json.loads(PARTS_LIST.read_text("utf-8"))["npm"]
    plugins = {name: version for name, version in listed.items() if name.startswith("hexo-")}
    about = {"private": True, "hexo": {"version": listed["hexo"]}, "dependencies": plugins}
    shop.write("package.json", json.dumps(about))
    settings = (DESIGNS / "settings" / "hexo.yml").read_text("utf-8")
    shop.write("_config.yml", f"{settings}theme: {theme}\n")
    shop.write("_config.butterfly.yml", "busuanzi: {site_uv: false, site_pv: false, page_pv: false}\n")
    for post in posts():
        shop.write(f"source/_posts/{post.slug}.md", _fronted(post, comments_apart=False, tags=post.tags))
    shop.add_shared("source")
    shop.run("node", shop.use_node("hexo") / "bin" / "hexo", "generate")
    return shop.folder / "public"


def _eleventy(shop: Workshop, *, design: str) -> Path:
    shutil.copytree(DESIGNS / design, shop.folder, dirs_exist_ok=True)
    shared = ("pictures", "fonts", "css", "js", "frames", "site.webmanifest", "favicon.ico")
    shop.write("eleventy.config.js", (
        "module.exports = (config) => {\n"
        f"  for (const path of {json.dumps(shared)}) config.addPassthroughCopy(path);\n"
        '  config.ignores.add("frames");\n  config.ignores.add("node_modules");\n'
        "  config.addCollection('newest', (all) => all.getFilteredByTag('post').reverse());\n"
        "};\n"
    ))
    for post in posts():
        text = _fronted(
            post, comments_apart=True, layout="post.html", permalink=f"/posts/{post.slug}/", tags=["post"],
            topics=post.tags, iso=post.published.isoformat(), day=f"{post.published:%d %B %Y}",
        )
        shop.write(f"posts/{post.slug}.md", text)
    shop.add_shared(".")
    shop.write("posts/none.txt", "")
    shop.run("node", shop.use_node("@11ty/eleventy") / "cmd.cjs", "--quiet", "--output=_site")
    return shop.folder / "_site"


SITES = (
    Site(name="hugo-skeleton", generator="Hugo", theme="hugo new theme", make=partial(_hugo, own=False),
         archive="/posts/"),
    Site(name="hugo-harbour", generator="Hugo", theme="our own", make=partial(_hugo, own=True), archive="/posts/"),
    Site(name="jekyll-minima", generator="Jekyll", theme="minima", make=partial(_jekyll, own=False),
         archive="/archive/"),
    Site(name="jekyll-ledger", generator="Jekyll", theme="our own, windows-1251", make=partial(_jekyll, own=True),
         archive="/archive/", encodings={".html": "windows-1251", "ledger.css": "windows-1251"}),
    Site(name="pelican-notmyidea", generator="Pelican", theme="notmyidea", make=partial(_pelican, theme="notmyidea"),
         archive="/archives.html"),
    Site(name="pelican-reflex", generator="Pelican", theme="reflex", make=partial(_pelican, theme="reflex"),
         archive="/category/notes.html"),
    Site(name="nikola-bootblog4", generator="Nikola", theme="bootblog4", make=partial(_nikola, theme="bootblog4"),
         archive="/archive.html"),
    Site(name="nikola-base", generator="Nikola", theme="base", make=partial(_nikola, theme="base"),
         archive="/archive.html"),
    Site(name="hexo-landscape", generator="Hexo", theme="landscape", make=partial(_hexo, theme="landscape"),
         archive="/archives/"),
    Site(name="hexo-butterfly", generator="Hexo", theme="butterfly", make=partial(_hexo, theme="butterfly"),
         archive="/archives/"),
    Site(name="eleventy-notebook", generator="Eleventy", theme="our own, Shift_JIS and UTF-16",
         make=partial(_eleventy, design="notebook"), archive="/archive/",
         types={"/archive/": "text/html", ".html": "text/html; charset=Shift_JIS"},
         encodings={"archive/index.html": "utf-16", ".html": "shift_jis", "notebook.css": "shift_jis"}),
    Site(name="eleventy-orchard", generator="Eleventy", theme="our own, new CSS",
         make=partial(_eleventy, design="orchard"), archive="/archive/"),
)
