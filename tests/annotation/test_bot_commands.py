"""Texts for annotators name no command that the bot does not have: those that we ship, and those that are checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import annotation
import bot
from annotation.campaigns import bot_commands, programme_file, project_file
from annotation.errors import BadInput
from annotation.loading import campaign as loading

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(annotation.__file__).parent / "campaigns" / "templates"
FILE = """\
project: words
title: Words
language: en
instructions: {instructions}
question: {{type: choice, text: Which?, options: [one, two]{help}}}
items: {{file: items.csv, id: id, show: text, gold: gold{columns}}}
overlap: 2
{more}"""
ITEMS = "id,text,gold,why\n1,type /leave,one,because\n2,then,two,{why}\n"


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Stop (/leave) or /Quit@other_bot, «/delete». /leave", ("leave", "Quit", "delete")),
        ("/withdraw, /forget@hromada_bot, /ADMIN and /adjudicate.", ()),
        ("https://example.org/leave t.me/bot/leave and/or km/h 1/2 24/7 /2 ./run ~/work", ()),
        ("/etc/passwd /cat/ /kæt/ /file.txt </leave> /або", ()),
        ("/leave", ("leave",)),
        ("", ()),
    ],
)
def test_a_command_is_what_telegram_shows_as_one(text: str, unknown: tuple[str, ...]) -> None:
    """At the start of a word; neither a part of an address or a path, nor a sound between slashes."""
    assert bot_commands.list_unknown_commands(text) == unknown


def list_shipped_texts() -> Iterator[tuple[str, str]]:
    """The texts of the bot, of templates, examples and the project files in the documentation, but for their items."""
    for path in sorted((Path(bot.__file__).parent / "conversation" / "texts").glob("*.ftl")):
        yield path.name, path.read_text("utf-8")
    for folder in (TEMPLATES, ROOT / "examples", ROOT / "docs"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".yaml", ".yml"} or (path.suffix in {".md", ".txt"} and folder.name != "docs"):
                yield str(path.relative_to(folder.parent)), path.read_text("utf-8")
            elif path.suffix == ".md":
                for number, block in enumerate(re.findall(r"```ya?ml\n(.*?)```", path.read_text("utf-8"), re.DOTALL)):
                    yield f"{path.relative_to(folder.parent)} {number}", block


def test_texts_that_we_ship_name_no_unknown_command() -> None:
    """Whatever is copied from them goes to annotators."""
    texts = dict(list_shipped_texts())
    assert len(texts) > 80
    assert {name: found for name, text in texts.items() if (found := bot_commands.list_unknown_commands(text))} == {}


@pytest.mark.parametrize("language", ["en", "uk"])
@pytest.mark.parametrize("template", ["complete", "programme"])
def test_the_consents_of_templates_say_how_to_leave_and_to_be_forgotten(template: str, language: str) -> None:
    """By commands that do so."""
    text = (TEMPLATES / template / language / "consent.md").read_text("utf-8")
    assert re.findall(r"/\w+", text) == ["/withdraw", "/forget"]


def write_project(folder: Path, **more: str) -> Path:
    """A project of two items."""
    parts = {"instructions": "Choose.", "help": "", "more": "", "columns": ""} | more
    (folder / "items.csv").write_text(ITEMS.format(why=parts.pop("why", "so it is")), "utf-8")
    (folder / "words.yaml").write_text(FILE.format(**parts), "utf-8")
    return folder / "words.yaml"


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"instructions": "Stop with /leave."}, "words.yaml:4"),
        ({"help": ', help: "Stuck? /leave"'}, "words.yaml:5"),
        ({"more": "content_warning: Blood. /leave if you like.\n"}, "words.yaml:8"),
        ({"more": 'profile: [{name: job, text: "Your job? /leave", type: text}]\n'}, "words.yaml:8"),
        ({"more": 'attestation: {text: "Did you look it up? /leave", options: [yes, no]}\n'}, "words.yaml:8"),
        ({"more": "examples: {good: [this], bad: [/leave it]}\n"}, "words.yaml:8"),
    ],
)
def test_an_unknown_command_in_the_project_file_is_refused(tmp_path: Path, more: dict[str, str], place: str) -> None:
    """With its place, and what was meant."""
    with pytest.raises(BadInput) as failure:
        project_file.read_project(write_project(tmp_path, **more))
    assert place in str(failure.value)
    assert "The bot has no command /leave. Did you mean /withdraw?" in str(failure.value)


@pytest.mark.parametrize("key", ["instructions_file", "consent"])
def test_an_unknown_command_in_a_file_of_texts_is_refused(tmp_path: Path, key: str) -> None:
    """With its line; `/withdraw` and addresses are no mistake."""
    (tmp_path / "text.md").write_text("Read https://example.org/leave.\n/withdraw or /leave\n", "utf-8")
    section = "instructions_file: text.md" if key == "instructions_file" else "consent: {file: text.md, version: 1}"
    instructions = '""' if key == "instructions_file" else "Choose."
    campaign = project_file.read_project(write_project(tmp_path, instructions=instructions, more=f"{section}\n"))
    with pytest.raises(BadInput, match=r"text\.md:2: The bot has no command /leave\."):
        campaign.read_instructions() if key == "instructions_file" else loading.read_contents(campaign)


def test_explanations_are_checked_and_items_are_not(tmp_path: Path) -> None:
    """What an item shows is what people judge, whatever it says."""
    path = write_project(tmp_path, columns=", explanation: why")
    assert loading.read_contents(project_file.read_project(path)).items[0].shown == ("type /leave",)
    path = write_project(tmp_path, columns=", explanation: why", why="see /rulez")
    with pytest.raises(BadInput, match=r"items\.csv:3.*/rulez"):
        loading.read_contents(project_file.read_project(path))


def test_an_unknown_command_in_the_texts_of_a_programme_is_refused(tmp_path: Path) -> None:
    """In its invitation and in its consent."""
    write_project(tmp_path)
    programme = "programme: all\ntitle: All\nlanguage: en\nprojects: [{file: words.yaml}]\n"
    (tmp_path / "consent.md").write_text("Agree?\n\nStop: /stop", "utf-8")
    for more, place in (
        ("invitation: Come. /leave when you like.\n", r"all\.yaml:5.*/leave"),
        (
            "consent: {file: consent.md, version: 1}\n",
            r"consent\.md:3: The bot has no command /stop\.[^/]*/pause",
        ),
    ):
        (tmp_path / "all.yaml").write_text(programme + more, "utf-8")
        with pytest.raises(BadInput, match=place):
            programme_file.read_programme(tmp_path / "all.yaml")
