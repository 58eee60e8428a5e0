"""The published protocols as project files: each loads, and says what was published."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotation.campaigns import project_file
from annotation.campaigns.sections.quality import ControlRule, SecondsRule
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.loading import campaign
from annotation.store import database
from annotation.vocabulary import Pool
from annotation.workflow.lifecycle import projects

EXAMPLES = Path(__file__).parents[2] / "examples"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

Published = tuple[int | None, int | None, int | None, str, str | None, str | None, float | None, str | None]
ONE: Published = (None, None, None, "1", None, None, None, None)
RSG: Published = (None, None, None, "3–5", None, "< 50%", None, None)

# Typed from the published protocols: training items, items a page, control items, overlap, pass mark, who is excluded
# by control items, mean seconds of an answer, least seconds. None where nothing is published.
TABLE: dict[str, Published] = {
    "eval-ua-tion/story-correction": ONE,
    "eval-ua-tion/instance-filtering": ONE,
    "eval-ua-tion/ua-cbt": ONE,
    "eval-ua-tion/up-titles-unmasked": ONE,
    "eval-ua-tion/up-titles-masked": ONE,
    "eval-ua-tion/lmes-wordalpha": ONE,
    "eval-ua-tion/lmes-wordlength": ONE,
    "eval-ua-tion/lmes-cats-bin": ONE,
    "eval-ua-tion/lmes-cats-mc": ONE,
    "eval-ua-tion/lmes-low": ONE,
    "eval-ua-tion/lmes-wis": ONE,
    "tape/ru-openbookqa": (7, 5, 48, "3", "60%", "<= 50%", 75, None),
    "tape/ru-worldtree": (7, 5, 55, "3", "60%", "<= 50%", 89, None),
    "tape/winograd": (20, 5, 39, "3–5", "60%", "<= 50%", 107, None),
    "tape/chegeka": (6, 5, 30, "5", "60%", "< 50%", 289, None),
    "tape/ethics1": (5, 3, 30, "3–5", "60%", "<= 50%", 121, None),
    "tape/ethics2": (5, 3, 30, "3–5", "60%", "<= 50%", 129, None),
    "tape/multiq": (14, 3, 40, "3", "60%", "<= 50%", 146, None),
    "tape/multiq-validation": (None, None, None, "3", None, None, None, None),
    "russian-superglue/lidirus": RSG,
    "russian-superglue/rcb": RSG,
    "russian-superglue/parus": RSG,
    "russian-superglue/muserc": RSG,
    "russian-superglue/terra": (None, None, None, "3–5", None, "< 60%", None, None),
    "russian-superglue/russe": RSG,
    "russian-superglue/rwsd": RSG,
    "russian-superglue/danetqa": RSG,
    "russian-superglue/rucos": RSG,
    "russian-superglue/rucos-filtering": (10, 2, None, "3–5", "7 of 10", "< 50%", None, "30 a page"),
    "rucola/acceptability": (30, None, None, "3–5", "21 of 30", "<= 50%", None, None),
    "rucola/violation-categories": (15, 5, None, "3", None, None, None, "30 a page"),
    "rucola/baseline": (None, None, None, "3", None, None, None, None),
    "ruatd/human-or-machine": (32, 5, None, "3–5", "27 of 32", "< 50%", None, "15 a page"),
}

HUMAN = {
    "eval-ua-tion/ua-cbt": ("99", "6", "16.67", "93.94"),
    "eval-ua-tion/up-titles-unmasked": ("99", "12", "10.00", "87.88"),
    "eval-ua-tion/up-titles-masked": ("98", "16", "10.00", "83.67"),
    "eval-ua-tion/lmes-wordalpha": ("98", "8", "50.00", "91.84"),
    "eval-ua-tion/lmes-wordlength": ("100", "6", "50.00", "94.00"),
    "eval-ua-tion/lmes-cats-bin": ("99", "3", "50.00", "96.97"),
    "eval-ua-tion/lmes-cats-mc": ("100", "2", "20.00", "98.00"),
    "eval-ua-tion/lmes-low": ("100", "3", "9.43", "97.00"),
    "eval-ua-tion/lmes-wis": ("100", "6", "4.69", "94.00"),
}

SCORES = {
    "eval-ua-tion/story-correction": {"usable": "62 %", "stories": "72 of 117"},
    "eval-ua-tion/instance-filtering": {"kept": "1063 of 1418", "released": "1061"},
    "tape/ru-openbookqa": {"f1": "87.5", "accuracy": "86.5", "iaa": "96.55"},
    "tape/ru-worldtree": {"f1": "83.8", "accuracy": "83.7", "iaa": "97.45"},
    "tape/winograd": {"f1": "86.6", "accuracy": "87.0", "iaa": "98.3"},
    "tape/chegeka": {"f1": "71.9", "exact_match": "64.5", "discarded": "129 votes, 15 %"},
    "tape/ethics1": {"f1": "51.0", "accuracy": "52.9", "iaa": "91.8"},
    "tape/ethics2": {"f1": "73.0", "accuracy": "67.6", "iaa": "92.9"},
    "tape/multiq": {"f1": "92.8", "exact_match": "91.0", "discarded": "165 votes, 25 %"},
    "russian-superglue/lidirus": {"mcc": "0.626", "accuracy": "0.819"},
    "russian-superglue/rcb": {"weighted_f1": "0.68", "accuracy": "0.702", "macro_f1": "0.66", "items": "215 of 438"},
    "russian-superglue/parus": {"accuracy": "0.982"},
    "russian-superglue/muserc": {"f1a": "0.806", "exact_match": "0.42"},
    "russian-superglue/terra": {"accuracy": "0.92"},
    "russian-superglue/russe": {"accuracy": "0.747", "later": "0.805", "runs": "0.781"},
    "russian-superglue/rwsd": {"accuracy": "0.84", "items": "113 of 154"},
    "russian-superglue/danetqa": {"accuracy": "0.879", "later": "0.915"},
    "russian-superglue/rucos": {"f1": "0.93", "exact_match": "0.924", "later": "0.89"},
    "rucola/violation-categories": {"annotators": "30"},
    "rucola/baseline": {
        "accuracy": "84.08", "mcc": "0.63", "in_domain": "83.55/0.57", "out_of_domain": "84.59/0.67",
        "annotators": "16",
    },
    "ruatd/human-or-machine": {"sample": "2500", "best_system": "0.829", "below_it": "up to 0.169"},
}  # fmt: skip

ADMISSION = {
    "rucola/acceptability": (0.6, ()),
    "rucola/violation-categories": (None, ("students",)),
    "rucola/baseline": (None, ("students",)),
    "ruatd/human-or-machine": (0.7, ()),
}


def read(name: str) -> project_file.CheckedProject:
    """An example by its folder and name."""
    return project_file.read_project(EXAMPLES / f"{name}.yaml")


def said(file: project_file.ProjectFile) -> Published:
    """What a project file says of the published figures."""
    training = file.stages.training
    control = next((rule for rule in file.quality if isinstance(rule, ControlRule)), None)
    seconds = next((rule for rule in file.quality if isinstance(rule, SecondsRule)), None)
    dynamic = file.overlap if isinstance(file.overlap, DynamicOverlap) else None
    return (
        training.number if training else None,
        file.pages.items if file.pages else None,
        file.controls.number if file.controls else None,
        f"{dynamic.min}–{dynamic.max}" if dynamic else str(file.overlap),
        str(training.pass_mark) if training and training.pass_mark else None,
        str(control.accuracy) if control else None,
        file.expected.seconds if file.expected else None,
        f"{seconds.least:.0f} a {seconds.per}" if seconds else None,
    )


def test_every_published_campaign_is_there() -> None:
    """33 project files, and no other."""
    assert sorted(f"{path.parent.name}/{path.stem}" for path in EXAMPLES.glob("*/*.yaml")) == sorted(TABLE)
    assert len(TABLE) == 33


@pytest.mark.parametrize("name", TABLE)
def test_an_example_says_what_was_published(name: str) -> None:
    """Training, page, control items, overlap, pass mark, exclusion, times, as the table has them."""
    definition = read(name).definition
    assert said(definition) == TABLE[name]
    if name.startswith("tape/") and definition.controls is not None:
        assert definition.controls.per_page == 1
    if name in HUMAN:
        assert definition.published is not None
        scores = definition.published.scores
        assert tuple(scores[key] for key in ("total", "wrong", "random", "human")) == HUMAN[name]
        assert definition.reward is not None
        assert (definition.reward.countdown, definition.kind) == (True, "baseline")
    if name in SCORES:
        assert definition.published is not None
        assert definition.published.scores == SCORES[name]
    if name in ADMISSION:
        assert definition.admission is not None
        assert (definition.admission.top, definition.admission.cohort) == ADMISSION[name]


def test_all_examples_load_into_one_database(tmp_path: Path) -> None:
    """With every question type among them, pools apart, gold where a stage needs it; loaded again nothing changes."""
    kinds = set()
    with database.open_database(f"sqlite:///{tmp_path / 'examples.db'}") as db:
        for name in TABLE:
            with db.transaction() as session:
                assert projects.load_project_file(session, EXAMPLES / f"{name}.yaml", now=NOW).is_new
            with db.transaction() as session:
                assert not projects.load_project_file(session, EXAMPLES / f"{name}.yaml", now=NOW).is_new
            contents = campaign.read_contents(read(name))
            kinds |= {question.kind for question in contents.questions}
            pools = {item.pool for item in contents.items}
            assert (Pool.CONTROL in pools) == (read(name).definition.controls is not None)
    assert kinds == {"choice", "choices", "text", "span", "edit"}
