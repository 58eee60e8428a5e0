"""Answers with nothing ticked, at the screen: possible wherever the project allows them, and nowhere else."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Locator, expect
from sqlmodel import select

from annotation.store.database import open_database
from annotation.store.models import Judgement

if TYPE_CHECKING:
    from _label_studio import Account

    from tests.annotation.label_studio.conftest import Visitor
    from tests.annotation.label_studio.sync.conftest import Command

Visit = Callable[..., "Visitor"]
BOXES = {"name": "boxes", "type": "choices", "text": "Що не так?", "options": ["логіка", "мова"]}
PLACE = {"name": "place", "type": "span", "text": "Де помилка?", "field": "text"}
ANSWER = {"name": "answer", "type": "choice", "text": "Так?", "options": ["так", "ні"]}
NOTE = {"name": "note", "type": "text", "text": "Примітка", "required": False}


@pytest.fixture
def backend() -> str:
    """What is on the screen does not depend on the database."""
    return "sqlite"


def come(visitor: Visitor, run: Command, account: Account, remote: int) -> Locator:
    """Log in, open the first task and close the instructions; the button that submits."""
    visitor.come(run.studio, email=account.email)
    return begin(visitor, run, remote)


def begin(visitor: Visitor, run: Command, remote: int) -> Locator:
    """Open the first task that waits; the button that submits."""
    page = visitor.page
    page.goto(run.studio.stream(remote))
    told = page.locator(".lsf-modal-ls", has_text="Labeling Instructions")
    told.get_by_role("button").click()
    expect(told).to_be_hidden()
    page.locator(".hr-page .lsf-richtext__container").first.wait_for()
    return page.get_by_role("button", name="Submit current annotation")


def statuses(out: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The status of every item in items.csv, and what items.json says."""
    with (out / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["item_id"]: row["status"] for row in csv.DictReader(file)}
    told: dict[str, Any] = json.loads((out / "items.json").read_text("utf-8"))["instance-filtering"]
    return rows, told


def test_a_faultless_item_is_submitted_in_the_second_pass_and_only_then_kept(
    command: Callable[[Path], Command], accounts: Mapping[str, Account], visit: Visit, tmp_path: Path
) -> None:
    """Of the template's two items one is looked at again and left as it is, one is skipped: kept, and not judged."""
    run, account = command(tmp_path), accounts["olha"]
    run("new", "instance-filtering", "--template", "instance-filtering")
    run("load", "instance-filtering/project.yaml")
    run("start", "instance-filtering")
    code = run("label-studio", "link", account.email).split(" is ")[1].removesuffix("'s.\n")
    first = run.json("push", "instance-filtering", "--person", code)
    visitor = visit()
    submit, page = come(visitor, run, account, first["remote_id"]), visitor.page
    for _ in range(2):
        visitor.submit_refused("Дайте відповідь: «Яке слово пропущено?».")
        page.keyboard.press("1")
        visitor.submit()
    assert run.json("pull")[0]["answered"] == 2
    run("export", "--to", "before")
    ids = [
        json.loads(line)["id"] for line in (tmp_path / "instance-filtering/items.jsonl").read_text("utf-8").splitlines()
    ]
    assert statuses(tmp_path / "before")[0] == dict.fromkeys(ids, "not judged")
    told = json.loads(run("status", "instance-filtering", "--json"))
    assert (told["second pass"], told["funnel"]["finished"]) == ({"items": 2, "done": 0}, 1)
    second = run.json("push", "instance-filtering", "--person", code, "--second")
    submit = begin(visitor, run, second["remote_id"])
    expect(submit).to_be_enabled()
    expect(page.locator(".lsf-choice input:checked")).to_have_count(0)
    visitor.submit_refused("Перегляньте відповіді вгорі")
    page.keyboard.press("0")
    visitor.submit()
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_text("No More Tasks", exact=False).or_(page.get_by_text("You've completed"))).to_be_visible()
    pulled = [one for one in run.json("pull") if one["answered"] or one["skipped"]]
    assert [(one["answered"], one["skipped"], one["set_aside"]) for one in pulled] == [(1, 1, {})]
    run("export", "--to", "after")
    found, told = statuses(tmp_path / "after")
    assert sorted(found.values()) == ["kept", "not judged"]
    assert told["counts"]["items_by_status"] == {"kept": 1, "removed": 0, "undecided": 0, "not judged": 1}
    assert "1 of 1" in (tmp_path / "after/items.html").read_text("utf-8")
    assert json.loads(run("status", "instance-filtering", "--json"))["second pass"] == {"items": 2, "done": 1}
    assert "second pass done" in run("status", "instance-filtering")


PROJECT = {"project": "p", "title": "p", "language": "uk", "instructions": "Читайте.", "overlap": 1}


def put(run: Command, account: Account, questions: list[dict[str, Any]]) -> int:
    """A started project with one item and a batch of it; its number in Label Studio."""
    (run.folder / "p.jsonl").write_text(json.dumps({"id": "i", "text": "Речення."}), "utf-8")
    items = {"file": "p.jsonl", "id": "id", "show": ["text"]}
    (run.folder / "p.yaml").write_text(json.dumps(PROJECT | {"questions": questions, "items": items}), "utf-8")
    run("load", "p.yaml")
    run("start", "p")
    code = run("label-studio", "link", account.email).split(" is ")[1].removesuffix("'s.\n")
    remote: int = run.json("push", "p", "--person", code)["remote_id"]
    return remote


@pytest.mark.parametrize(
    ("questions", "stored", "confirmed"),
    [
        ([BOXES], "[]", "Нічого з цього"),
        pytest.param([BOXES | {"required": False}, NOTE], "", None, marks=pytest.mark.slow),
        pytest.param([PLACE | {"required": False}], "", None, marks=pytest.mark.slow),
        pytest.param([NOTE, BOXES | {"show_if": {"note": ["так"]}}], "", None, marks=pytest.mark.slow),
    ],
)
def test_nothing_is_an_answer_where_the_project_allows_it(
    command: Callable[[Path], Command],
    accounts: Mapping[str, Account],
    visit: Visit,
    tmp_path: Path,
    questions: list[dict[str, Any]],
    stored: str,
    confirmed: str | None,
) -> None:
    """Submit works at once, or after a tick that none of the options is right; the pull stores an empty answer."""
    run, visitor = command(tmp_path), visit()
    remote = put(run, accounts["olha"], questions)
    expect(come(visitor, run, accounts["olha"], remote)).to_be_enabled()
    if confirmed is not None:
        visitor.submit_refused(f"Якщо нічого не підходить, позначте «{confirmed}».")
        visitor.page.locator(".lsf-choice__checkbox", has_text=confirmed).click()
    visitor.submit()
    (pulled,) = run.json("pull")
    assert (pulled["answered"], pulled["set_aside"]) == (1, {})
    with open_database(f"sqlite:///{tmp_path / 'hromada.db'}") as database, database.reading() as session:
        assert [(one.response, one.skip_reason) for one in session.exec(select(Judgement))] == [(stored, None)]


@pytest.mark.parametrize(
    ("questions", "keys", "asks"),
    [
        ([BOXES | {"least": 1}, BOXES | {"name": "more"}], "1", "Що не так?"),
        pytest.param([ANSWER, BOXES | {"required": False}], "1", "Так?", marks=pytest.mark.slow),
        pytest.param([NOTE | {"required": True}], None, "Примітка", marks=pytest.mark.slow),
        pytest.param([PLACE], None, "Де помилка?", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_no_answer_where_one_is_required(
    command: Callable[[Path], Command],
    accounts: Mapping[str, Account],
    visit: Visit,
    tmp_path: Path,
    questions: list[dict[str, Any]],
    keys: str | None,
    asks: str,
) -> None:
    """Submit names the question that is open, whatever else was answered; a text is submitted as it was typed."""
    run, visitor = command(tmp_path), visit()
    expect(come(visitor, run, accounts["olha"], put(run, accounts["olha"], questions))).to_be_enabled()
    page = visitor.page
    if len(questions) > 1:
        page.get_by_text("мова").last.click()
    visitor.submit_refused(f"Дайте відповідь: «{asks}».")
    (pulled,) = run.json("pull")
    assert (pulled["answered"], pulled["read"]) == (0, 1)
    if keys is not None:
        page.keyboard.press(keys)
    elif questions[0]["type"] == "text":
        page.locator(".hr-text textarea").fill("Усе добре.")
    else:
        page.keyboard.press("1")
        done, stopped = page.locator(".lsf-choice__checkbox"), page.get_by_text("У тексті нічого не позначено")
        expect(done).to_be_hidden()
        visitor.mark("Речення")
        done.click()
        expect(stopped).to_be_hidden()
        page.locator(".htx-highlight").click()
        page.keyboard.press("Backspace")
        expect(stopped).to_be_visible()  # and Submit is not to be clicked
        page.keyboard.press("1")
        visitor.mark("Речення")
        expect(stopped).to_be_hidden()
    visitor.submit()
    assert run.json("pull")[0]["answered"] == 1
