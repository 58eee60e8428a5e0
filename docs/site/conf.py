"""The site of the documents, which `make site` builds of README.md and docs/ with Sphinx, MyST and Furo."""

import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util import logging

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))
from bilingual_search import BilingualSearch  # noqa: E402
from keywords import KEYWORDS  # noqa: E402

project = "hromada"
html_title = "hromada"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/**/*.md"]
exclude_patterns = [".*", "build", "dist", "demo", "docs/site"]
suppress_warnings = ["myst.header"]  # README.md goes on with the contents
myst_heading_anchors = 4
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_language = BilingualSearch.lang
html_show_search_summary = False  # it asks a server for each page that was found
search_keywords = KEYWORDS
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
NO_HIGHLIGHT = "document.querySelectorAll('svg title').forEach(title => title.classList.add('nohighlight'))"
"""Sphinx marks the words that were searched, and stops with an error in the titles of Furo's icons."""


def append_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the front page the contents of the site, which the sidebar shows."""
    if page == app.config.root_doc:
        source[0] += (FOLDER / "contents.md").read_text("utf-8")


def check_keywords(app: Sphinx) -> None:
    """Warn of keywords for a page that is not there."""
    for page in sorted(KEYWORDS.keys() - app.project.docnames):
        logging.getLogger(__name__).warning("keywords.py names a page that is not there: %s", page)


def add_keywords(app: Sphinx, page: nodes.document) -> None:
    """Put the keywords of a page into its head, and so into the index."""
    if words := KEYWORDS.get(app.env.docname):
        page.insert(0, nodes.meta(name="keywords", content=",".join(words.split())))


def name_language(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Tell browsers and screen readers which pages are Ukrainian."""
    context["language"] = "uk" if page.endswith(".uk") else "en"


def copy_front_page(app: Sphinx, error: Exception | None) -> None:
    """Let the site open at index.html."""
    if error is None:
        shutil.copy(app.outdir / f"{app.config.root_doc}.html", app.outdir / "index.html")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all this."""
    app.add_lexer("csv", TextLexer)
    app.add_search_language(BilingualSearch)
    app.connect("source-read", append_contents)
    app.add_config_value("search_keywords", {}, "env")  # pages are read again when the words change
    app.add_js_file(None, body=NO_HIGHLIGHT)
    app.connect("env-before-read-docs", lambda app, _environment, _names: check_keywords(app))
    app.connect("doctree-read", add_keywords)
    app.connect("html-page-context", name_language)
    app.connect("build-finished", copy_front_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
