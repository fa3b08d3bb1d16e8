"""The site builds strictly, every link and picture in it leads somewhere, and it loads nothing from elsewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import winnerstays

ROOT = Path(__file__).parent.parent
LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
UNDESCRIBED = {"REGRETS", "WinnerstaysError", "pick"}
"""Names without an entry of their own in the reference: `pick` is described as what its call does."""


class Page(HTMLParser):
    """The ids of a page and everything that it links to or loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if (tag, name) in LOADED:
                self.loaded.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


def build(folder):
    """Build the site and return its pages by their files."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path: Page(path.read_text()) for path in folder.rglob("*.html")}


def lost_links(root, pages):
    """Return every link and picture within the site that leads nowhere."""
    lost = []
    for path, page in pages.items():
        for target in (*page.links, *page.loaded):
            url = urlsplit(target)
            if url.scheme or url.netloc:
                continue
            start = root if url.path.startswith("/") else path.parent
            file = (start / unquote(url.path).lstrip("/")).resolve() if url.path else path
            file = file / "index.html" if file.is_dir() else file
            if not file.is_file() or (url.fragment and file in pages and url.fragment not in pages[file].ids):
                lost.append(f"{path.name}: {target}")
    return lost


def test_the_site_is_whole_and_loads_nothing_from_elsewhere(tmp_path):
    pages = build(tmp_path)
    assert lost_links(tmp_path, pages) == []
    assert [target for page in pages.values() for target in page.loaded if urlsplit(target).netloc] == []
    assert {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} <= {path.name for path in pages}
    described = {name.rsplit(".", 1)[-1] for name in pages[tmp_path / "api.html"].ids}
    assert {*winnerstays.__all__} - UNDESCRIBED <= described


def test_a_lost_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here">')
    (tmp_path / "b.html").write_text('<a href="a.html#here"><a href="a.html#gone"><img src="c.png"><a href="#none">')
    pages = {path: Page(path.read_text()) for path in tmp_path.glob("*.html")}
    assert sorted(lost_links(tmp_path, pages)) == ["b.html: #none", "b.html: a.html#gone", "b.html: c.png"]
