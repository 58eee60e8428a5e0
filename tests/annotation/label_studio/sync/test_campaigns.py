"""Two campaigns as they are run: real stories and cloze items, the batches of two annotators, what is published."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from _label_studio import Account
    from playwright.sync_api import Page

    from tests.annotation.label_studio.conftest import Visitor
    from tests.annotation.label_studio.sync.conftest import Command

Visit = Callable[..., "Visitor"]
USABLE, UNUSABLE = "придатне", "непридатне"
INCOHERENT, SHORT, HOPELESS = "непослідовне", "закоротке", "безнадійне"
SEVERAL, REPEATED = "можливі кілька відповідей", "варіанти повторюються"
NO_WORD, TOLD = "неіснуюча форма слова", "граматика видає відповідь"
KEYS = {INCOHERENT: "3", SHORT: "6", HOPELESS: "8", SEVERAL: "2", REPEATED: "4"}

ENDS = {"olha": " Кінець.", "taras": " Ось і все."}
"""What a person writes at the end of a story: one word of 8 characters with its blank, three of 11."""
CORRECTED = {"olha": range(7), "taras": range(4)}
REFUSED: Mapping[tuple[str, int], list[str]] = {
    ("olha", 8): [SHORT],
    ("olha", 9): [INCOHERENT, HOPELESS],
    ("taras", 9): [HOPELESS],
}
WRONG = {("olha", 0), ("olha", 7), ("taras", 7)}
BOXES: Mapping[tuple[str, int], dict[str, list[str]]] = {
    ("olha", 1): {"logic": [SEVERAL]},
    ("taras", 1): {"logic": [SEVERAL, REPEATED]},
    ("olha", 4): {"grammar": [TOLD]},
    ("taras", 4): {"grammar": [TOLD]},
    ("taras", 6): {"grammar": [NO_WORD]},
}
AT_THE_SCREEN = {0, 9}, {1}
"""What each of them answers in the browser; the rest is sent by their account."""


@pytest.mark.slow
def test_two_people_correct_ten_stories_and_filter_eight_items(
    command: Callable[[Path], Command], accounts: Mapping[str, Account], visit: Visit, shared: Path, tmp_path: Path
) -> None:
    """From the real files to the published tables; the totals are counted by hand from what the two of them do."""
    run = command(tmp_path)
    campaigns(run, shared)
    people = {name: Person(run, name, accounts[name], visit(), *material(tmp_path)) for name in ENDS}
    for person in people.values():
        person.come()
        person.correct()
        person.filter()
    pulled = run.json("pull")
    assert sum(one["answered"] for one in pulled) == 2 * 10 + 2 * 8
    for person in people.values():
        person.look_again()
    assert sum(one["answered"] for one in run.json("pull")) == 2 * 8
    assert [(one["answered"], one["problem"]) for one in run.json("pull")] == [(0, None)] * 6
    consensus = json.loads(run("aggregate", "story-correction", "--json"))
    assert {one["item_id"]: (one["n_votes"], one["tie"]) for one in consensus["items"]} == {
        f"s{n}": (2, n == 8) for n in range(10)
    }
    run("export", "--to", "out")
    stories_are_counted(tmp_path / "out")
    items_are_counted(tmp_path / "out")


def stories_are_counted(out: Path) -> None:
    """Eight of ten are usable; of nobody's corrections anything is lost."""
    told = json.loads((out / "stories.json").read_text("utf-8"))["story-correction"]["fixed"]
    assert told["counts"]["stories_by_verdict"] == {"usable": 8, "unusable": 1, "tied": 1, "no answer": 0}
    assert told["counts"]["answers_by_status"] == {
        "corrected": 11, "unchanged": 6, "unusable": 3, "not answered": 0, "skipped": 0, "text changed": 0,
    }  # fmt: skip
    reasons = {one["reason"]: (one["answers"], one["stories"]) for one in told["unusable_reasons"]}
    assert {name: number for name, number in reasons.items() if number != (0, 0)} == {
        HOPELESS: (2, 1), INCOHERENT: (1, 1), SHORT: (1, 1),
    }  # fmt: skip
    with (out / "stories.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["difference"]]
    changed = sorted((row["item_id"], int(row["characters_changed"]), int(row["words_changed"])) for row in rows)
    assert changed == sorted(
        [(f"s{n}", 8, 1) for n in (0, 1, 2, 3, 4, 5, 6)]
        + [(f"s{n}", 11, 3) for n in (0, 1, 2, 3)]
        + [(f"s{n}", 0, 0) for n in (4, 5, 6, 7, 7, 8)]
    )
    assert sum(int(row["words_changed"]) for row in rows) == 7 * 1 + 4 * 3
    assert {row["words_kept"] for row in rows} == {"1"}
    assert sum("варте уваги" in row["other_answers"] for row in rows) == 2
    assert "Кінець" in (out / "stories.html").read_text("utf-8")


def items_are_counted(out: Path) -> None:
    """Five of eight are kept: two fall for what both name, one stands at a half."""
    told: dict[str, Any] = json.loads((out / "items.json").read_text("utf-8"))["instance-filtering"]
    assert told["counts"]["items_by_status"] == {"kept": 5, "removed": 2, "undecided": 1, "not judged": 0}
    removal = [
        (one["reason"], one["removed"], one["share_of_removed"], one["votes"]) for one in told["removal_reasons"]
    ]
    assert [one for one in removal if one[3]] == [
        (SEVERAL, 1, 0.5, 2), (TOLD, 1, 0.5, 2), (REPEATED, 0, 0.0, 1), (NO_WORD, 0, 0.0, 1),
    ]  # fmt: skip
    assert told["human_failure"]["items_failed"] == 1
    with (out / "items.csv").open(encoding="utf-8", newline="") as file:
        status = {row["item_id"]: (row["status"], row["n_answers"], row["n_wrong"]) for row in csv.DictReader(file)}
    assert status == {
        "c0": ("kept", "2", "1"), "c1": ("removed", "2", "0"), "c2": ("kept", "2", "0"), "c3": ("kept", "2", "0"),
        "c4": ("removed", "2", "0"), "c5": ("kept", "2", "0"), "c6": ("undecided", "2", "0"), "c7": ("kept", "2", "2"),
    }  # fmt: skip


def material(folder: Path) -> tuple[dict[int, str], dict[int, dict[str, Any]]]:
    """The stories' texts and the cloze items, by their numbers."""
    stories = [json.loads(line) for line in (folder / "story-correction/items.jsonl").read_text("utf-8").splitlines()]
    cloze = [json.loads(line) for line in (folder / "instance-filtering/items.jsonl").read_text("utf-8").splitlines()]
    return {int(one["id"][1:]): one["story"] for one in stories}, {int(one["id"][1:]): one for one in cloze}


def campaigns(run: Command, shared: Path) -> None:
    """Both projects of their templates, with the real items, each seen by two people; loaded and started."""
    with (shared / "data/eval-ua-tion/stories/generated_new_stories.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["generated_story"].strip() for row in csv.DictReader(file) if row["generated_story"].strip()][:10]
    rows = (shared / "data/eval-ua-tion/ua-cbt/stories_train.jsonl").read_text("utf-8").splitlines()
    items = {
        "story-correction": [{"id": f"s{n}", "story": text} for n, text in enumerate(texts)],
        "instance-filtering": [json.loads(row) | {"id": f"c{n}"} for n, row in enumerate(rows)],
    }
    assert [len(one) for one in items.values()] == [10, 8]
    for name, found in items.items():
        run("new", name, "--template", name)
        path = run.folder / name / "project.yaml"
        text = path.read_text("utf-8").replace("overlap: 1", "overlap: 2").replace("group: story", "group: storyId")
        path.write_text(text, "utf-8")
        lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
        (run.folder / name / "items.jsonl").write_text(lines, "utf-8")
        run("load", f"{name}/project.yaml")
        run("start", name)


@dataclass
class Person:
    """One of the two annotators: the account, the browser, and the answers to stories and items."""

    run: Command
    name: str
    account: Account
    visitor: Visitor
    stories: dict[int, str]
    items: dict[int, dict[str, Any]]
    code: str = ""

    @property
    def page(self) -> Page:
        """The window."""
        return self.visitor.page

    def come(self) -> None:
        """Link the account and log in."""
        self.code = self.run("label-studio", "link", self.account.email).split(" is ")[1].removesuffix("'s.\n")
        self.visitor.come(self.run.studio, email=self.account.email)

    def correct(self) -> None:
        """Ten stories; the first and the last at the screen."""
        for number in self._fill_batch("story-correction", self._story, leave=AT_THE_SCREEN[0]):
            editor = self.page.locator(".hr-edit textarea")
            expect(editor).to_have_value(self.stories[number])
            if (self.name, number) in REFUSED:
                self._press("2", *(KEYS[one] for one in REFUSED[self.name, number]))
                expect(editor).to_be_hidden()
            else:
                editor.fill(self.stories[number] + ENDS[self.name])
                self.page.locator(".hr-column").first.click()
                self._press("1", "9")
            self.visitor.submit()

    def filter(self) -> None:
        """Eight items without the right answer; one of them at the screen."""
        for number in self._fill_batch("instance-filtering", self._guess, leave=AT_THE_SCREEN[1]):
            options = self.page.locator(".lsf-choice")
            expect(options).to_have_count(6)
            shown = [one.inner_text().split("[")[0].strip() for one in options.all()]
            self._press(str(shown.index(self._word(number)) + 1))
            self.visitor.submit()

    def look_again(self) -> None:
        """The same items with the right answer; what is wrong with them."""
        for number in self._fill_batch("instance-filtering", self._boxes, "--second", leave=AT_THE_SCREEN[1]):
            row = self.page.locator(".hr-answers tr", has_text="Яке слово пропущено?")
            expect(row.locator("td")).to_have_text([self.items[number]["answer"]] * 2)
            self._press("0", *(KEYS[box] for boxes in BOXES[self.name, number].values() for box in boxes))
            self.visitor.submit()

    def _fill_batch(
        self, project: str, says: Callable[[int], list[dict[str, Any]]], *more: str, leave: set[int]
    ) -> list[int]:
        """Fill the batch, answer all but some of it; these come back in the order of the screen."""
        pushed = self.run.json("push", project, "--person", self.code, "--number", "10", *more)
        remote, left = pushed["remote_id"], []
        with self.run.studio.api(self.account.token) as api:
            tasks = api.get("/api/tasks", params={"project": remote, "fields": "all", "page_size": 100}).json()["tasks"]
            assert len(tasks) == pushed["sent"] == len(self.stories if "story" in project else self.items)
            for task in sorted(tasks, key=lambda one: int(one["id"])):
                number = int(task["data"]["item"][1:])
                if number in leave:
                    left.append(number)
                    continue
                body = {"result": says(number), "lead_time": 5}
                api.post(f"/api/tasks/{task['id']}/annotations/", json=body).raise_for_status()
        self.page.goto(self.run.studio.stream(remote))
        told = self.page.locator(".lsf-modal-ls", has_text="Labeling Instructions")
        expect(told).to_contain_text("Запитання")
        told.get_by_role("button").click()
        expect(told).to_be_hidden()
        return left

    def _press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def _story(self, number: int) -> list[dict[str, Any]]:
        if (self.name, number) in REFUSED:
            return [boxes("result", [UNUSABLE]), boxes("why", REFUSED[self.name, number])]
        text = self.stories[number] + (ENDS[self.name] if number in CORRECTED[self.name] else "")
        return [boxes("result", [USABLE]), region("fixed", "textarea", {"text": [text]})]

    def _word(self, number: int) -> str:
        right = self.items[number]["answer"]
        wrong = (self.name, number) in WRONG
        options: list[str] = self.items[number]["options"]
        return next(one for one in options if (one != right) == wrong)

    def _guess(self, number: int) -> list[dict[str, Any]]:
        return [boxes("answer", [self._word(number)])]

    def _boxes(self, number: int) -> list[dict[str, Any]]:
        return [boxes(name, found) for name, found in BOXES.get((self.name, number), {}).items()]


def boxes(name: str, labels: list[str]) -> dict[str, Any]:
    """What a question with options says."""
    return region(name, "choices", {"choices": labels})


def region(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    """One control of a result."""
    return {"from_name": name, "to_name": "item:shown", "type": kind, "value": value}
