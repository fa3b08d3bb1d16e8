"""The site builds strictly, every link and picture in it leads somewhere, and it loads nothing from elsewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import winnerstays

ROOT = Path(__file__).parent.parent
LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path: Page(path.read_text()) for path in folder.rglob("*.html")}


def test_every_link_and_picture_leads_somewhere(site):
    root = next(path.parent for path in site if path.name == "404.html")
    lost = []
    for path, page in site.items():
        for target in (*page.links, *page.loaded):
            url = urlsplit(target)
            if url.scheme or url.netloc:
                continue
            start = root if url.path.startswith("/") else path.parent
            file = (start / unquote(url.path).lstrip("/")).resolve() if url.path else path
            if file.is_dir():
                file /= "index.html"
            if not file.is_file() or (url.fragment and file in site and url.fragment not in site[file].ids):
                lost.append(f"{path.name}: {target}")
    assert not lost


def test_nothing_is_loaded_from_elsewhere(site):
    found = [target for page in site.values() for target in page.loaded if urlsplit(target).netloc]
    assert not found


def test_every_page_of_the_docs_is_there(site):
    made = {path.name for path in site}
    assert {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} <= made


def test_the_reference_describes_what_users_import(site):
    (reference,) = (page for path, page in site.items() if path.name == "api.html")
    described = {name.rsplit(".", 1)[-1] for name in reference.ids if name.startswith("winnerstays.")}
    assert {*winnerstays.__all__} - {"pick", "REGRETS", "WinnerstaysError"} <= described
