"""The built site (`make site`) opened from its folder in Chromium: no server, no request, search in two languages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request

SITE = Path(os.environ.get("HROMADA_SITE") or Path(__file__).parents[2] / "build/site")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SITE.is_dir(), reason="The site: `make site` was not run, and HROMADA_SITE names none"),
]
PAGES = ("index", "README.uk", "docs/tutorial", "docs/reference/commands", "docs/explanation/agreement", "search")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that may only read files; any other request, and any error of a script, fails the test."""
    context = browser.new_context()
    opened, faults = context.new_page(), []

    def note_request(request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            faults.append(request.url)

    context.on("request", note_request)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    context.close()
    assert faults == []


def search(page: Page, words: str) -> list[str]:
    """Type into the search of the front page; return the addresses of what it finds, best first."""
    page.goto((SITE / "index.html").as_uri())
    page.fill("input[name=q]", words)
    page.press("input[name=q]", "Enter")
    page.wait_for_function("/found|matching|did not match/.test(document.querySelector('.search-summary')?.innerText)")
    found = page.eval_on_selector_all("#search-results li a", "links => links.map(link => link.href)")
    return [address.removeprefix(f"{SITE.as_uri()}/").partition("?")[0] for address in found]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_follow_the_scheme(page: Page, width: int, scheme: str) -> None:
    """No page is wider than the screen; its ground is light or dark as the system asks; every picture is shown."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for name in PAGES:
        page.goto((SITE / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        channels = [int(number) for number in re.findall(r"\d+", ground)[:3]]
        assert min(channels) > 200 if scheme == "light" else max(channels) < 60, (name, ground)
        page.evaluate("document.querySelectorAll('img').forEach(image => image.loading = 'eager')")
        page.wait_for_function("[...document.images].every(image => image.complete)")
        assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)"), name


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("узгодженості", "README.uk.html"),  # it says «узгодженість»
        ("встановила", "docs/tutorial.uk.html"),  # it says «Встановіть»
        ("adjudicating", "docs/reference/review.html"),  # it says “adjudicate”
    ],
)
def test_search_finds_other_forms_of_a_word(page: Page, words: str, found: str) -> None:
    """The word that is typed is not on the page: another form of it is."""
    assert words not in (SITE / found).read_text("utf-8").lower()
    assert found in search(page, words)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("my votes are in Excel", "docs/how-to/bring-your-votes.html"),
        ("can I show a picture", "docs/questions/show-a-picture.html"),
        ("why is α low", "docs/questions/which-agreement.html"),
        ("pay people", "docs/how-to/recruit-volunteers.html"),
        ("how many people", "docs/questions/how-many-people.html"),
        ("baseline publishable", "docs/questions/is-my-baseline-publishable.html"),
        ("reviewer says", "docs/questions/the-reviewer-says.html"),
        ("мої голоси в Excel", "docs/questions/votes-in-excel.uk.html"),
        ("як платити людям", "docs/questions/pay-people.uk.html"),
        ("чому α низька", "docs/questions/low-alpha.uk.html"),
        ("can I use Google Forms?", "docs/how-to/bring-your-votes.html"),
        ("why is α so low?", "docs/questions/which-agreement.html"),
        ("somebody clicks at random", "docs/explanation/quality.html"),
        ("how do I pay people?", "docs/how-to/recruit-volunteers.html"),
        ("my computer broke", "docs/reference/database-backup.html"),
        ("how do I translate the bot", "docs/how-to/ask-in-another-language.html"),
        ("compare with GPT-4", "docs/how-to/build-a-benchmark.html"),
        ("what does it cost", "docs/reference/commands/simulate.html"),
        ("скільки людей потрібно", "docs/questions/how-many-people.uk.html"),
        ("голоси з гугл форми", "docs/questions/votes-in-excel.uk.html"),
        ("люди відповідають навмання", "docs/questions/careless-answers.uk.html"),
        ("чи можна показати картинку", "docs/questions/show-a-picture.uk.html"),
    ],
)
def test_search_answers_a_newcomer(page: Page, words: str, found: str) -> None:
    """The page with the answer is among the first five, so that two clicks are enough."""
    assert found in search(page, words)[:5]


def test_titles_come_first(page: Page) -> None:
    """A page whose title has the words is above pages that say them; the rarer word decides."""
    assert search(page, "rate the texts")[0] == "docs/how-to/rate-texts.html"
    assert search(page, "token people")[0] == "docs/how-to/get-a-token.html"


def test_marked_words_leave_icons_alone(page: Page) -> None:
    """Sphinx marks the words of the last search, and failed in the title of an icon (“Auto light/dark”)."""
    search(page, "light mode")
    page.goto((SITE / "docs/tutorial.html").as_uri())
    page.wait_for_timeout(200)
    assert page.locator("svg title tspan").count() == 0


def test_search_finds_nothing_by_a_word_that_no_page_has(page: Page) -> None:
    """A stemmer that leaves nothing of a word would find every page."""
    assert search(page, "пароплавами") == []


def test_browser_cuts_words_as_the_index(page: Page) -> None:
    """The index is made in Python, queries are cut by a script: each Ukrainian word of the pages is in the index."""
    text = " ".join(
        re.sub(r"<[^>]+>", " ", file.read_text("utf-8").partition('role="main"')[2].partition("</article>")[0])
        for file in SITE.rglob("*.uk.html")
    )
    words = sorted(set(re.findall(r"[а-щьюяєіїґ]{4,}", text.lower())))
    assert len(words) > 500
    page.goto((SITE / "search.html").as_uri())
    page.wait_for_function("Search.hasIndex()")
    missing = page.evaluate(
        """words => {
            const index = Search._index, stemmer = new Stemmer();
            const has = stem => stem in index.terms || stem in index.titleterms;
            return words.filter(word => !has(stemmer.stemWord(word)));
        }""",
        words,
    )
    assert missing == []


def test_links_inside_the_site_lead_somewhere() -> None:
    """Files and places in them; `make site` finds broken links of the sources, this those of what was built."""
    places = {
        file: set(re.findall(r'\bid="([^"]+)"', file.read_text("utf-8"))) for file in sorted(SITE.rglob("*.html"))
    }
    assert len(places) > 40
    broken = []
    for file in places:
        for link in re.findall(r'(?:href|src)="([^"]+)"', file.read_text("utf-8")):
            path, _, place = link.partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (file.parent / path.partition("?")[0]).resolve() if path else file
            if not target.exists() or (place and target.suffix == ".html" and place not in places[target]):
                broken.append((str(file.relative_to(SITE)), link))
    assert broken == []
