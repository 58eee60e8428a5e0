"""stories.html: every text beside its corrections, with what was changed to be seen, and the numbers above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aggregation.agreement import Coefficient
from exports.report import words
from exports.report.bars import bars
from exports.report.pages import rendered
from exports.stories.corrections import Correction
from exports.stories.edits import Part
from exports.stories.summary import (
    LEVEL,
    MEASURES,
    OPEN,
    RESAMPLES,
    TIED,
    UNUSABLE,
    USABLE,
    Corrected,
    Story,
    rule,
)

MOST = 1000
"""Stories of a data set that the page shows; the files hold all."""
NAMES = {"cer": "Characters changed (CER)", "wer": "Words changed (WER)", "chrf": "chrF", "words_kept": "Words kept"}
AGREEMENT = {
    "exact_match": "The very same text",
    "plurality_share": "Share of the most frequent text",
    "mean_cer": "Characters apart (CER)",
    "mean_chrf": "chrF",
}
STEPS = ((0.0, "nothing"), (0.02, "to 2 %"), (0.05, "2–5 %"), (0.1, "5–10 %"), (0.2, "10–20 %"), (0.5, "20–50 %"))
MORE = "over 50 %"
_TAGS = {"=": "", "-": "del", "+": "ins"}


class Shown(NamedTuple):
    """A part of a difference: its tag, the sign that makes a mere blank visible, the text."""

    tag: str
    sign: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Version:
    """What one person made of a story."""

    annotator: str
    language: str
    status: str
    told: str
    reasons: tuple[str, ...]
    parts: tuple[Shown, ...]
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class ShownStory:
    """A story with all its versions."""

    item_id: str
    said: str
    length: str
    original: str
    versions: tuple[Version, ...]


@dataclass(frozen=True, kw_only=True)
class Block:
    """One question of one data set."""

    name: str
    title: str
    language: str
    simulated: bool
    rule: str
    counted: str
    glance: tuple[tuple[str, str, str], ...]
    panels: tuple[str, ...]
    measures: tuple[tuple[str, ...], ...]
    agreement: tuple[tuple[str, ...], ...]
    stories: tuple[ShownStory, ...]
    beyond: str


def page(found: Sequence[Corrected], *, seed: int = 0, title: str = "Corrected stories") -> str:
    """One HTML document that needs nothing from outside; simulated data is stamped."""
    simulated = [one.sheets.data.name for one in found if one.sheets.data.simulated]
    return rendered(
        "stories.html.j2",
        package="exports.stories",
        title=title,
        simulated=simulated,
        all_simulated=len(simulated) == len(found),
        blocks=[_block(one, prefix=f"stories-{number}") for number, one in enumerate(found)],
        level=f"{100 * LEVEL:g} %",
        resamples=RESAMPLES,
        seed=seed,
    )


def _block(found: Corrected, *, prefix: str) -> Block:
    data = found.sheets.data
    seen = [story for story in found.stories if story.corrections]
    return Block(
        name=data.name,
        title=data.title,
        language=data.language,
        simulated=data.simulated,
        rule=words.capital(rule(found)),
        counted=_counted(found),
        glance=_glance(found),
        panels=_panels(found, prefix=prefix),
        measures=tuple(_measure(found, name) for name in MEASURES),
        agreement=_agreement(found),
        stories=tuple(_story(found, story) for story in seen[:MOST]),
        beyond=f"{len(seen) - MOST} more stories stand in the files beside this page." if len(seen) > MOST else "",
    )


def _glance(found: Corrected) -> tuple[tuple[str, str, str], ...]:
    verdicts = Counter(story.verdict for story in found.stories)
    judged = sum(verdicts.values()) - verdicts[OPEN]
    rows = [("Usable stories", f"{verdicts[USABLE]} of {judged}", _share(verdicts[USABLE], judged))]
    rows.append(("Unusable", str(verdicts[UNUSABLE]), _share(verdicts[UNUSABLE], judged)))
    rows += [("Tied", str(verdicts[TIED]), "")] if verdicts[TIED] else []
    rows += [("Not answered yet", str(verdicts[OPEN]), "")] if verdicts[OPEN] else []
    rows.append(("Corrections", str(len(found.pairs)), ""))
    rows.append(("Left as it was", words.percent(found.unchanged), ""))
    mean = found.means["wer"]
    rows.append(("Words changed", words.percent(mean.value), _interval(mean)))
    return tuple(rows)


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of else ""


def _interval(row: Coefficient) -> str:
    return "" if row.low is None else f"[{words.percents(row.low, row.high)}]"


def _panels(found: Corrected, *, prefix: str) -> tuple[str, ...]:
    rates, simulated = found.values("wer"), found.sheets.data.simulated
    names = [*(name for _, name in STEPS), MORE]
    places = np.searchsorted([limit for limit, _ in STEPS], rates, side="left")
    counts = Counter(names[place] for place in places)
    panels = [
        bars(
            [(name, counts[name], str(counts[name])) for name in names],
            title="Words changed",
            subtitle=words.counted(len(rates), "correction"),
            prefix=f"{prefix}-words",
            simulated=simulated,
        )
    ]
    if found.reasons:
        refused = sum(one.status == UNUSABLE for one in found.answers)
        panels.append(
            bars(
                [(reason, count, f"{count}, {100 * share:.0f} %") for reason, count, share, _ in found.reasons],
                title="Why unusable",
                subtitle=f"{words.counted(refused, 'answer')}; one can give several reasons",
                prefix=f"{prefix}-reasons",
                simulated=simulated,
            )
        )
    return tuple(panels)


def _measure(found: Corrected, name: str) -> tuple[str, ...]:
    values, mean = found.values(name), found.means[name]
    low, first, middle, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)) if values else [None] * 5
    return (
        NAMES[name], words.percent(mean.value), words.percents(mean.low, mean.high), words.percent(middle),
        words.percents(first, third), words.percents(low, high), str(len(values)),
    )  # fmt: skip


def _agreement(found: Corrected) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (AGREEMENT[row.name], words.percent(row.value), words.percents(row.low, row.high), str(row.n_items),
         str(row.n_votes))
        for row in found.agreement
        if row.value is not None
    )  # fmt: skip


def _counted(found: Corrected) -> str:
    """What was counted and what was not, in one line."""
    statuses = Counter(one.status for one in found.answers)
    said = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
    dropped = found.sheets.data.dropped()["excluded_reason"].value_counts().sort_index()
    out = ", ".join(f"{reason}: {count}" for reason, count in dropped.items())
    return f"Answers that count: {said or 'none'}." + (f" Left out: {out}." if out else "")


def _story(found: Corrected, story: Story) -> ShownStory:
    many = words.counted(len(story.corrections), "answer")
    return ShownStory(
        item_id=story.item_id,
        said=f"{words.capital(story.verdict)}; {many}",
        length=words.counted(len(story.original.split()), "word"),
        original=story.original,
        versions=tuple(_version(found, one) for one in story.corrections),
    )


def _version(found: Corrected, one: Correction) -> Version:
    asked = {question.name: question for question in found.sheets.questions}
    shown = {question: found.sheets.labels(question, one.others) for question in one.others}
    hidden = set(found.question.show_if)
    return Version(
        annotator=one.annotator,
        language=found.sheets.data.language,
        status=one.status,
        told=_told(one),
        reasons=one.reasons,
        parts=tuple(map(_shown, one.parts)) if one.status == "corrected" else (),
        notes=tuple(
            (asked[name].text, ", ".join(labels)) for name, labels in shown.items() if labels and name not in hidden
        ),
    )


def _told(one: Correction) -> str:
    if one.edits is None:
        return ""
    if one.status == "unchanged":
        return "The text stays as it was."
    return f"{words.percent(one.edits.wer)} of words, {words.percent(one.edits.cer)} of characters changed"


def _shown(part: Part) -> Shown:
    """A blank that came or went has nothing to underline or strike, so a sign stands for it."""
    tag = _TAGS[part.sign]
    mere = bool(tag) and part.text.isspace()
    return Shown(tag=tag, sign="¶" if mere and "\n" in part.text else "␣" if mere else "", text=part.text)
