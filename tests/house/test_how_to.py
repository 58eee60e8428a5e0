"""The commands of the how-to pages run as they are written."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import pytest
from _label_studio import PROGRAM, program

from tests.house.chat_people import answer_in_the_browser, answer_on, local_telegram
from tests.house.page_runner import BLOCK, ROOT, PageReader

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

TRANSLATED = {"items.csv", "longer-word.yaml"}
"""Files of README whose words annotators read."""


@pytest.mark.process
@pytest.mark.slow
def test_a_benchmark_is_built_run_and_read_as_the_page_says(tmp_path: Path) -> None:
    """The demo, the harness's dummy model without a network, and both rows beside each other."""
    said = PageReader(tmp_path, env={"HF_HUB_OFFLINE": "1"}).read("docs/how-to/build-a-benchmark.md").said
    rows = re.findall(r"accuracy\s+(dummy|human-majority)\s+([01]\.\d{4})\s+(\d+)\s+(\w{8})", said)
    people = [row for row in rows if row[0] == "human-majority"]
    models = [row for row in rows if row[0] == "dummy"]
    assert len(people) == len(models) == 4  # both forms, printed twice
    assert {row[2:] for row in people} == {row[2:] for row in models}
    with (tmp_path / "tables/answers.csv").open(encoding="utf-8", newline="") as file:
        answered = {row["model"] for row in csv.DictReader(file)}
    assert {"dummy", "human-majority"} < answered


@pytest.mark.process
@pytest.mark.slow
def test_the_tutorial_leads_to_a_report(tmp_path: Path) -> None:
    """From an empty folder: one person tries, three answer, and the report has their scores."""
    acts = {
        "hromada try": answer_in_the_browser(people=1, items=2),
        "hromada bot --local": answer_in_the_browser(people=3, items=6),
    }
    reader = PageReader(tmp_path, acts=acts).read("docs/tutorial.md")
    report = (tmp_path / "words/results/report.html").read_text("utf-8")
    assert "SIMULATED" in report
    assert re.search(r"individual +18 +\d+ +[01]\.\d{4} +– +0\.\d{4} – ", reader.said), reader.said
    assert re.search(r"majority of 3 +6 ", reader.said)


@pytest.mark.process
@pytest.mark.slow
def test_the_bot_runs_as_the_page_about_tokens_says(tmp_path: Path) -> None:
    """With the token of the page's file, known to a local Telegram; the invitation is a link and lets somebody in."""
    with local_telegram("123456:the-token-that-BotFather-gave-you") as telegram:
        reader = PageReader(tmp_path, env={"HROMADA_TELEGRAM_URL": f"{telegram.server.url}/bot"})

        def answer_by_invitation(process: Any) -> None:
            answer_on(telegram, items=6, code=read_code(reader.said))(process)

        reader.acts = {"hromada bot": answer_by_invitation}
        reader.read("docs/how-to/get-a-token.md")


def read_code(said: str) -> str:
    """The code of the invitation that was printed as a link."""
    found = re.search(r"https://t\.me/longer_word_bot\?start=(\S+)", said)
    assert found is not None, said
    return found[1]


WITH_A_BOT = (pytest.mark.process, pytest.mark.slow)


@pytest.mark.parametrize(
    ("page", "people", "items", "written"),
    [
        ("recruit-volunteers", 0, 0, ["hromada.db"]),
        ("compare-panels", 0, 0, ["hromada.db"]),
        pytest.param("ask-several-data-sets", 3, 10, ["results/report.html"], marks=WITH_A_BOT),
        pytest.param(
            "filter-items", 1, 4, ["filtered/items.html", "filtered/items.csv", "kept.jsonl"], marks=WITH_A_BOT
        ),
        pytest.param("end-a-campaign", 2, 6, ["monday.db", "results/report.html", "release"], marks=WITH_A_BOT),
    ],
)
def test_a_page_runs_as_written(tmp_path: Path, page: str, people: int, items: int, written: list[str]) -> None:
    """Its commands, with people who answer where it says so; what it tells to open is there."""
    acts = {"hromada bot --local": answer_in_the_browser(people=people, items=items)}
    reader = PageReader(tmp_path, acts=acts).read(f"docs/how-to/{page}.md")
    assert [name for name in written if not (tmp_path / name).exists()] == [], reader.said


@pytest.mark.process
@pytest.mark.slow
def test_stories_are_corrected_in_label_studio_as_the_page_says(tmp_path: Path, browser: Browser) -> None:
    """Two people sign up by the link, correct in the browser what waits at the addresses printed, and it comes out."""
    found = program()
    if found is None:
        pytest.skip(f"Label Studio: `make servers` was not run, and {PROGRAM} names no program")
    pages = {}

    def sign_up(said: str) -> None:
        link = re.search(r"http\S+/user/signup/\S+", said)
        assert link is not None, said
        for name in ("olha", "taras"):
            pages[name] = page = browser.new_context(locale="en").new_page()
            page.goto(link[0])
            page.locator("input[name=email]").fill(f"{name}@example.org")
            page.locator("input[name=password]").fill("Secret-123")
            page.get_by_role("button", name="Create Account").click()
            page.wait_for_url(re.compile(r"/(projects)?/?$"))

    def correct(said: str) -> None:
        addresses = re.findall(r"^http\S+labeling=1$", said, re.MULTILINE)
        for page, address in zip(pages.values(), addresses, strict=True):
            page.goto(address)
            page.locator(".lsf-modal-ls__header button").click()  # the instructions
            for _ in range(2):
                editor = page.locator(".hr-edit textarea")
                text = editor.input_value()
                editor.fill(text.replace(" have ", " has ").replace("There was", "There were"))
                page.locator(".hr-column").first.click()
                page.keyboard.press("1")
                with page.expect_response(lambda answer: "/annotations" in answer.url):
                    page.get_by_role("button", name="Submit current annotation").click()
                page.wait_for_timeout(1000)

    env = {PROGRAM: str(found)}
    afterwards = {"hromada label-studio up": sign_up, "hromada label-studio push": correct}
    reader = PageReader(tmp_path, env=env, afterwards=afterwards).read("docs/how-to/correct-stories.md")
    assert len([line for line in reader.typed if line.startswith("hromada ")]) <= 6
    with (tmp_path / "corrected/stories.csv").open(encoding="utf-8", newline="") as file:
        texts = " ".join(" ".join(row.values()) for row in csv.DictReader(file))
    assert "The fox has found" in texts
    assert "There were seven" in texts
    assert (tmp_path / "corrected/stories.html").is_file()


def test_the_ukrainian_pages_hold_the_same_commands_and_files() -> None:
    """Block by block, but for comments, the language of a template and the files of a campaign in Ukrainian."""
    for page in ("README", "docs/tutorial"):
        blocks = [
            [
                (
                    name,
                    [
                        re.sub(r"\s+#.*", "", line).replace("--language en", "--language uk")
                        for line in ("" if name in TRANSLATED else text).splitlines()
                    ],
                )
                for name, _, text in BLOCK.findall((ROOT / f"{page}{ending}.md").read_text("utf-8"))
            ]
            for ending in ("", ".uk")
        ]
        assert blocks[0] == blocks[1], page


def test_a_language_is_added_as_the_page_says(tmp_path: Path) -> None:
    """The short file passes the check, and the doctor finds the language."""
    said = PageReader(tmp_path).read("docs/how-to/ask-in-another-language.md").said
    assert re.search(r"faults +0", said)
    assert "kk.ftl; languages: uk, en, ru, pl, kk" in " ".join(said.split())
