"""What the documents say is so."""

from __future__ import annotations

import asyncio
import os
import re
import runpy
import shutil
import signal
import subprocess
import sysconfig
from pathlib import Path

import pytest
from _faulty_telegram import FaultyTelegram

from annotation import vocabulary
from annotation.campaigns import programme_file, project_file, validation_errors
from annotation.campaigns.sections import quality, stages
from annotation.settings import Settings
from exports import (
    class_tables,
    corrections,
    filtering,
    gold_tables,
    inputs,
    lm_eval,
    panel_tables,
    people_beside_models,
    tables,
)
from tests.house.chat_people import answer_in_the_browser, answer_on, local_telegram
from tests.house.page_runner import PageReader

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sysconfig.get_path("scripts"))
BOT_CHAPTER = "Asking people yourself"
MOST_WORDS = 1500
MOST_README_WORDS = 900
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(language: str) -> list[str]:
    """The README's blocks of one language."""
    return [text for found, text in BLOCK.findall((ROOT / "README.md").read_text("utf-8")) if found == language]


def commands(number: int) -> list[str]:
    """The commands of one of the README's shell blocks, of the installed hromada, without their comments."""
    lines = [line.split("#")[0].strip() for line in blocks("sh")[number].splitlines()]
    return [line.replace(".venv/bin/hromada", str(SCRIPTS / "hromada")) for line in lines]


def read_pages(names: str) -> str:
    """Several pages of the reference as one text."""
    return "\n".join(page.read_text("utf-8") for page in sorted((ROOT / "docs/reference").glob(names)))


@pytest.fixture
def makefile(tmp_path: Path) -> str:
    """A folder with what make needs; gives the words that stand for `make` where hromada is installed already."""
    for name in ("tests", "benchmarks", "docs", "docker", "examples", "requirements"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    names = ("Makefile", "README.md", "README.uk.md", "CITATION.cff", ".env.example", ".gitignore", "pyproject.toml")
    for name in names:
        shutil.copy(ROOT / name, tmp_path / name)
    return f"make --old-file=.venv/installed --old-file=build/developer/installed BIN={SCRIPTS}"


@pytest.mark.process
@pytest.mark.slow
def test_make_test_runs_tests(makefile: str, tmp_path: Path) -> None:
    """`make test`, told to run some."""
    words = [*commands(0)[1].replace("make", makefile).split(), "ARGS=-n0 -q tests/aggregation/test_errors.py"]
    env = {"PATH": os.environ["PATH"]}
    ran = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (ran.returncode, " passed" in ran.stdout) == (0, True), ran.stdout + ran.stderr


@pytest.mark.process
@pytest.mark.slow
async def test_make_try_opens_a_page(makefile: str, tmp_path: Path) -> None:
    """`make try` prints an address, and ends when it is interrupted."""
    pipe = asyncio.subprocess.PIPE
    words = commands(0)[2].replace("make", makefile).split()
    process = await asyncio.create_subprocess_exec(
        *words, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, stdout=pipe, stderr=pipe, start_new_session=True
    )
    assert process.stdout is not None
    told = b""
    while b"http://127.0.0.1:" not in told:
        line = await asyncio.wait_for(process.stdout.readline(), 60)
        assert line, told
        told += line
    os.killpg(process.pid, signal.SIGINT)
    await asyncio.wait_for(process.communicate(), 20)


def test_the_readmes_are_short() -> None:
    """At most 900 words, with the examples; a Ukrainian page says the same in no more."""
    words = {name: len((ROOT / name).read_text("utf-8").split()) for name in ("README.md", "README.uk.md")}
    assert {name: count for name, count in words.items() if count > MOST_README_WORDS} == {}


def test_the_readme_runs_as_written(tmp_path: Path) -> None:
    """Its files written, its commands typed one after another in an empty folder; but for the chapter with a bot."""
    assert commands(0) == ["make demo", "make test", "make try"]
    reader = PageReader(tmp_path).read("README.md", without=BOT_CHAPTER)
    assert (reader.folder / "export/report.html").exists()
    interval = r"0\.\d+ ?– ?[01]\.\d+"
    of_both = (
        rf"krippendorff_alpha_nominal +nominal +0\.\d+ +{interval} +{interval}",
        rf"individual .* +{interval} +{interval}",
    )
    assert [one for one in of_both if not re.search(one, reader.said)] == [], reader.said
    assert reader.said.count("Open ") == 1, "export says what to open next"


@pytest.mark.process
@pytest.mark.slow
def test_the_readmes_bot_runs_as_written(tmp_path: Path) -> None:
    """The other chapter with commands, in an empty folder, too; somebody answers the bot."""
    with local_telegram("123456:the-token-that-BotFather-gave-you") as telegram:
        reader = PageReader(
            tmp_path,
            acts={
                "hromada try": answer_in_the_browser(people=1, items=2),
                "hromada bot": answer_on(telegram, items=6),
            },
            env={"HROMADA_TELEGRAM_URL": f"{telegram.server.url}/bot"},
        ).read("README.md", without="Your own votes")
    assert (reader.folder / "results/report.html").exists()
    assert reader.said.count("Open ") == 1
    assert "hromada close longer-word" in reader.typed


def test_every_setting_is_in_the_example_and_in_the_reference() -> None:
    """`.env.example` and the page about running list each setting with its default."""
    example = (ROOT / ".env.example").read_text("utf-8")
    reference = (ROOT / "docs/reference/running.md").read_text("utf-8")
    for name, field in Settings.model_fields.items():
        default = "" if field.default in {None, ()} else str(field.default)
        default = default.lower() if isinstance(field.default, bool) else default
        assert f"\nHROMADA_{name.upper()}={default}\n" in example
        assert f"`HROMADA_{name.upper()}`" in reference
        assert (field.description or "").split(";")[0].rstrip(".") in example


def test_every_column_and_key_is_in_the_reference() -> None:
    """The pages about files name every published column, and every key of a project file."""
    published = read_pages("published-*.md")
    released = {
        *inputs.RESPONSE_COLUMNS,
        *gold_tables.GOLD_COLUMNS,
        *gold_tables.HUMAN_ITEM_COLUMNS,
        *class_tables.CLASS_COLUMNS,
        *class_tables.CONFUSION_COLUMNS,
        *tables.ANNOTATOR_COLUMNS,
        *tables.BASELINE_COLUMNS,
        *tables.SCORE_COLUMNS,
        *panel_tables.PANEL_COLUMNS,
        *gold_tables.ADJUDICATION_COLUMNS,
        *gold_tables.REVIEW_COLUMNS,
        *lm_eval.PROMPT_COLUMNS,
        *lm_eval.ANSWER_COLUMNS,
        *lm_eval.SCORE_COLUMNS,
        *lm_eval.DIFFERENCE_COLUMNS,
        *people_beside_models.HUMAN_COLUMNS,
        *people_beside_models.DIFFERENCE_COLUMNS,
    }
    for column in released | {*corrections.STORY_COLUMNS, *filtering.FILTERED_COLUMNS, *filtering.REASON_COLUMNS}:
        assert f"`{column}`" in published
    assert all(f"`{kind}`" in published for kind in vocabulary.ExclusionKind)
    described = read_pages("project-[!k]*.md")
    sections = validation_errors.list_sections(project_file.ProjectFile) | validation_errors.list_sections(
        programme_file.ProgrammeFile
    )
    sections -= {stages.PassMark, quality.Threshold}  # written as one text, `21 of 30` or `< 50 %`
    for section in sections:
        for key in (field.alias or name for name, field in section.model_fields.items()):
            assert re.search(rf"[`{{ .]{key}[`:,.}}]", described), (section, key)
    assert "`question.labels`" in described


def test_no_page_is_too_long() -> None:
    """At most 1,500 words of prose, tables and help; numbers and examples do not count."""
    long = {}
    for path in (ROOT / "docs").rglob("*.md"):
        text = BLOCK.sub(lambda block: block[2] if block[1] == "text" else "", path.read_text("utf-8"))
        words = len(re.findall(r"\S*[^\W\d_]\S*", text))
        if words > MOST_WORDS:
            long[path.relative_to(ROOT).as_posix()] = words
    assert long == {}


def test_every_method_of_the_local_telegram_is_in_the_reference() -> None:
    """The page about it lists what it knows, and nothing that it does not."""
    listed = re.search(r"## Methods\n(.*?)\n## ", (ROOT / "docs/reference/emulator.md").read_text("utf-8"), re.DOTALL)
    assert listed is not None
    assert {name.lower() for name in re.findall(r"`(\w+)`", listed[1])} == {*FaultyTelegram.methods, "getupdates"}


def test_every_picture_in_the_documents_is_there_and_remade() -> None:
    """No page points at a missing picture, and each one that is there is made by `make pictures`."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        (page.parent / name).resolve()
        for page in pages
        for name in re.findall(r"\]\(([^)]+\.png)\)", page.read_text("utf-8"))
    }
    there = set((ROOT / "docs/pictures").resolve().rglob("*.png"))
    assert named <= there
    taught = ("report-360", "tutorial-item-360", "tutorial-people-1280", "tutorial-report-1280")
    made = {f"{name}{ending}.png" for name in taught for ending in ("", ".uk")}
    made |= {f"chat-{scheme}-{width}.png" for scheme in ("light", "dark") for width in (360, 1280)}
    made |= {"dashboard-1280.png", "dashboard-project-768.png", "dashboard-project-360.png", "stories-1280.png"}
    made |= {f"bot-{name}.png" for name in ("boxes", "correction", "item", "language")}
    made |= {f"bot-{name}.png" for name in ("preference", "problem", "span", "task", "training")}
    made |= {"session-end-360.png", "organiser-question-360.png"}
    desks = ("story-correction", "instance-filtering", "instance-filtering-second")
    campaigns = (ROOT / "examples").glob("*/*.yaml")
    made |= {f"{campaign.parent.name}-{campaign.stem}.png" for campaign in campaigns}
    made |= {f"{desk}-{width}.png" for desk in desks for width in (800, 1280)}
    assert {path.name for path in there} == made


def test_the_table_of_campaigns_without_an_error_has_every_design_of_its_benchmark() -> None:
    """And holds its goal for as many items as the benchmark holds it."""
    benchmark = runpy.run_path(str(ROOT / "benchmarks/all_right.py"))
    page = (
        (ROOT / "docs/explanation/coverage.md").read_text("utf-8").partition("| people x items |")[2].split("\n\n")[0]
    )
    rows = {tuple(map(int, row[0].split(" x "))): row[1:]
            for row in (line.strip("| ").split(" | ") for line in page.splitlines()[2:])}  # fmt: skip
    assert set(rows) == set(benchmark["DESIGNS"])
    for (_, items), shares in rows.items():
        assert len(shares) == len(benchmark["PRIORS"])
        assert items > benchmark["MOST_ITEMS_HELD"] or min(map(float, shares)) >= benchmark["LEAST"]
