"""The sections of the project file about quality: quality rules, caps, problem reports, item filtering."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from aggregation import placeholders
from annotation.campaigns.sections.base import (
    Comparison,
    Count,
    Name,
    PathInFile,
    Seconds,
    Section,
    Share,
    Text,
    Texts,
    Values,
    multiply_share,
)

DECLARED_FACTS = {
    "recruitment": "how people were found: volunteers of a chat, students of a course, a crowd platform, colleagues",
    "pay": "what people got, per item or hour and in which currency, beside the local minimum wage, or `volunteers`",
    "ethics": "which board looked at it and under which number, or `not sought`, or why none was needed",
    "population": "whom the answers are meant to speak for: native speakers of what, where, how old",
    "ai_use": "whether people might use language models or search engines, and what was done to prevent it",
    "stimulus_differences": "how what people saw differs from what models got, beyond what `hromada build` lists of it",
    "licence": "the licence of the items and of the answers, and where the texts come from",
}
"""Each fact to declare, with what it should state; `hromada check` asks for those that are missing."""


MOST_DAYS = 36_525
"""The longest retention: a hundred years."""
_RETENTION = re.compile(r"(\d{1,5}) *d(?:ays?)?")


def _check_retention(text: str) -> str:
    """The length of time as it is published, like `180 days`; raises ValueError for another one."""
    found = _RETENTION.fullmatch(text.strip())
    if found is None or not 1 <= int(found[1]) <= MOST_DAYS:
        raise ValueError(f"{text!r} is not a number of days; write it like 180 days")
    return f"{int(found[1])} day{'' if int(found[1]) == 1 else 's'}"


class DeclaredSection(Section):
    """`declared:` facts for the release, in the organiser's words.

    `authors` are for citations, with semicolons between them; no release asks for them. `retention` is how long after
    the end the answers lead back to people; annotators are told it when they agree.
    """

    recruitment: Text | None = None
    pay: Text | None = None
    ethics: Text | None = None
    population: Text | None = None
    ai_use: Text | None = None
    stimulus_differences: Text | None = None
    licence: Text | None = None
    authors: Text | None = None
    retention: Annotated[Text, AfterValidator(_check_retention)] | None = None

    @property
    def retention_days(self) -> int | None:
        """The days of `retention`; None where it is not declared."""
        return None if self.retention is None else int(self.retention.split()[0])

    @property
    def stated(self) -> dict[str, str]:
        """The facts that are declared, by name. A placeholder, which no file may have now, declares nothing."""
        return {name: text for name, text in self.model_dump(exclude_none=True).items() if not _is_empty(name, text)}

    @property
    def missing(self) -> dict[str, str]:
        """The facts that are not declared yet, with what each should state; `build` lists differences of stimuli."""
        present = {*self.stated, "stimulus_differences"}
        return {name: words for name, words in DECLARED_FACTS.items() if name not in present}

    @property
    def placeholders(self) -> dict[str, str]:
        """The placeholders that stand where facts should, by name."""
        return {name: text for name, text in self.model_dump(exclude_none=True).items() if _is_empty(name, text)}


def _is_empty(name: str, text: str) -> bool:
    return placeholders.is_placeholder(text, meant=(name, DECLARED_FACTS.get(name, "")))


class ExpectedSection(Section):
    """`expected:` how long one item should take, for planning."""

    seconds: Seconds


class PublishedSection(Section):
    """`published:` scores of the same campaign in a paper (`source`), by name and as written there, for comparison."""

    source: Text
    scores: dict[str, Text] = Field(default_factory=dict)


class JudgesSection(Section):
    """`judges:` what is fixed of model judges before people answer.

    `margin` is the largest difference of agreement, judge–person less person–person, that counts as none: a share of
    equal answers, or points of a scale. `random_sample` says that the items people answer are a random sample of those
    that judges score.
    """

    margin: Annotated[float, Field(gt=0)] | None = None
    random_sample: bool = False


class LineageSection(Section):
    """`lineage:` the origin of a follow-up project, as `hromada follow-up` writes it.

    `project` is the source project, `where` are the conditions by which its items were selected, `method` is the
    consensus method, and `definition_sha256` the sha256 of the source project's definition.
    """

    project: Text
    where: tuple[Text, ...] = ()
    method: Text
    definition_sha256: Text


Consequence = Literal["flag", "pause", "exclude"]
"""What follows for the annotator: noted for organisers, paused, or excluded with all answers."""
_THRESHOLD = re.compile(r"(<=?)\s*(.+)")


class Threshold(Section):
    """The accuracy below which a rule applies, written `< 50 %`, or `<= 50 %` where the rule applies at 50 % too."""

    sign: Comparison
    share: Share

    def is_met(self, right: int, of: int) -> bool:
        """Whether an annotator with `right` right answers of `of` is below the threshold."""
        limit = multiply_share(self.share, of)
        return right < limit if self.sign == "<" else right <= limit

    def __str__(self) -> str:
        return f"{self.sign} {100 * self.share:g}%"


def _parse_threshold(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = _THRESHOLD.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} needs a comparison; write < 50 % or <= 50 %")
    return {"sign": match[1], "share": match[2]}


class ControlRule(Section):
    """Too few right answers to control items, among the last `window` of them if given.

    The rule applies once an annotator has answered `min_controls` control items. With `training_counts` answers to the
    items of the training count too.
    """

    rule: Literal["control"]
    accuracy: Annotated[Threshold, BeforeValidator(_parse_threshold)]
    min_controls: Count = 10
    window: Count | None = None
    training_counts: bool = False
    consequence: Consequence


class SecondsRule(Section):
    """Too fast: fewer than `least` seconds for an item or a page."""

    rule: Literal["seconds"]
    least: Seconds
    per: Literal["item", "page"] = "item"
    consequence: Consequence


class StraightLiningRule(Section):
    """Straight-lining: the option at the same position is chosen `run` times in a row."""

    rule: Literal["straight_lining"]
    run: Annotated[int, Field(ge=2)]
    consequence: Consequence


class TextRule(Section):
    """Texts to refuse: without words (`empty`), `repeated`, `copied` from the item, with listed `words`.

    `words` names the file with the words, one on each line.
    """

    rule: Literal["text"]
    refuses: Annotated[tuple[Literal["empty", "repeated", "copied", "words"], ...], Field(min_length=1)]
    words: PathInFile | None = None
    consequence: Consequence


RULE_NAMES = ("control", "seconds", "straight_lining", "text")
"""The names of the quality rules, as written under `rule`."""


def _get_rule_tag(value: object) -> str:
    """The tag of a rule's name; an unknown name is read as `control`, whose `rule` then reports the known names."""
    rule = value.get("rule") if isinstance(value, dict) else getattr(value, "rule", None)
    return f"<{rule if isinstance(rule, str) and rule in RULE_NAMES else 'control'}>"


QualityRule = Annotated[
    Annotated[ControlRule, Tag("<control>")]
    | Annotated[SecondsRule, Tag("<seconds>")]
    | Annotated[StraightLiningRule, Tag("<straight_lining>")]
    | Annotated[TextRule, Tag("<text>")],
    Discriminator(_get_rule_tag),
]


class CapsSection(Section):
    """`caps:` limits for one annotator: items in all, items a day, and the length of a work session (`sitting`)."""

    items: Count | None = None
    items_per_day: Count | None = None
    sitting: Seconds | None = None


class ReportsSection(Section):
    """`reports:` an item reported by `threshold` annotators is paused until an organiser has reviewed it."""

    threshold: Count = 2
    reasons: tuple[Text, ...] = ()


class ReviewSection(Section):
    """`review:` how answers are reviewed and items adjudicated.

    With `tell_annotators` annotators are told of each rejected answer, with the reason. `reasons` are offered to
    reviewers. `made_by` is the column of the items with the pseudonyms of those who made the item or its gold.
    """

    tell_annotators: bool = False
    reasons: Texts = ()
    made_by: Text | None = None


class FilteringSection(Section):
    """`filtering:` an item is removed for a problem that more than `share` of its annotators name.

    Each option of the questions in `problems` (or any text, for a text question) is a problem of its own; `keep` names,
    for other questions, the answers that are no problem. With `failure` a wrong answer to the first question, given
    before the right one was shown, is a problem too.
    """

    problems: Texts = ()
    keep: dict[Name, Values] | None = None
    share: Share = 0.5
    failure: bool = False
