"""What was found, as a code with arguments: why a number is missing or doubtful, why an answer does not count.

`FINDINGS` is the one place that has the sentence of a code. Tables and JSON print it in English, which is the value of
the string; pages translate the code with its arguments (`exports.pages.translation.show_finding`), and databases
and raw files store both. Text that people wrote, and data, are never findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

Argument: TypeAlias = "int | float | str"
"""A number, which pages write as their language does; a text of the data, which nobody translates; or a finding, such
as the name of a method, which is translated in its turn.
"""


class Finding(str):
    """A finding: as a string its English text, with `code`, a key of FINDINGS, and `arguments` by name.

    Raises KeyError for an unknown code or a missing argument.
    """

    code: str
    arguments: Mapping[str, Argument]

    def __new__(cls, code: str, /, **arguments: Argument) -> Finding:
        finding = super().__new__(cls, FINDINGS[code].format(**arguments))
        finding.code, finding.arguments = code, MappingProxyType(arguments)
        return finding

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles keep code and arguments."""
        return read_plain, (write_plain(self),)


def write_plain(text: str) -> dict[str, Any]:
    """What is stored of a text: code and arguments of a finding, or the words of a person."""
    if not isinstance(text, Finding):
        return {"words": text}
    arguments = {
        name: write_plain(value) if isinstance(value, Finding) else value for name, value in text.arguments.items()
    }
    return {"code": text.code, "arguments": arguments}


def read_plain(stored: Mapping[str, Any]) -> str:
    """The text that `write_plain` stored; raises KeyError for anything else, and for an unknown code."""
    if "words" in stored:
        return str(stored["words"])
    arguments = {
        name: read_plain(value) if isinstance(value, Mapping) else value for name, value in stored["arguments"].items()
    }
    return Finding(stored["code"], **arguments)


def get_code(text: str | None) -> str:
    """The code of a finding; empty for any other text."""
    return text.code if isinstance(text, Finding) else ""


def join_findings(*texts: str) -> str:
    """Several sentences as one text, without those that are empty."""
    joined, *others = [text for text in texts if text] or [""]
    for other in others:
        joined = Finding("both", first=joined, second=other)
    return joined


def name_figure(text: object) -> Finding:
    """A text of nothing but numbers and their signs, which pages write as their language does: ".90-.99", "< 50%"."""
    return Finding("figure", text=str(text))


AGREEMENT = {
    "no-pairs": "No item has two votes, so there is nothing to compare.",
    "items-equal": "No interval: every resample of items has the same value, because nothing varies between them.",
    "few-groups-resampled": "No interval: {n} groups of items are fewer than the {least} to resample.",
    "few-items-resampled": "No interval: {n} items are fewer than the {least} to resample.",
    "one-group-resampled": "No interval: 1 group of items is fewer than the {least} to resample.",
    "one-item-resampled": "No interval: 1 item is fewer than the {least} to resample.",
    "unequal-numbers": (
        "Fleiss's kappa needs the same number of votes on every item, and here items have {least} to {most}."
    ),
    "one-label": "One label leaves nothing to agree on by chance.",
    "votes-equal": (
        "All compared votes are equal, so the expected disagreement is 0 and the coefficient is undefined."
    ),
    "sets-equal": "All compared sets are equal, so the expected disagreement is 0 and alpha is undefined.",
    "forced": (
        "An odd number of votes on two options always has a majority, so the design forces this share to be 1, "
        "however people answer."
    ),
    "no-classes": (
        "The options differ from item to item and share no classes to compare by; "
        "use percent agreement and its chance-corrected form."
    ),
    "no-classes-of-boxes": (
        "The boxes differ from item to item and share no classes whose sets could be compared by chance; every box as"
        " a yes or no of its own has an alpha."
    ),
    "no-classes-for-kappa": (
        "The options differ from item to item and share no classes, so κ has no chance to correct by."
    ),
    "always-one-label": "Everybody always gave the same one label, so κ is undefined.",
    "no-repeat": "No item was asked of the same person again.",
    "one-shared-item": (
        "The median pair of annotators shares {median:g} item. Below {fewest} a pair's chance of equal answers is not"
        " known, and kappa falls with the number of annotators however well they agree: use Krippendorff's alpha."
    ),
    "few-shared-items": (
        "The median pair of annotators shares {median:g} items. Below {fewest} a pair's chance of equal answers is not"
        " known, and kappa falls with the number of annotators however well they agree: use Krippendorff's alpha."
    ),
    "no-kappa": "No two annotators have a kappa: they share no item, or always gave the same label.",
    "no-corrections": "Nobody corrected anything.",
    "overconfident": (
        "A mean posterior is what the model believes of its own labels, not how far people agree: it takes its "
        "estimates for known and annotators for independent, and is near 1 where alpha is not. Report it beside alpha,"
        " under its own name."
    ),
}
"""Why a coefficient of agreement is missing or doubtful."""

SCORES = {
    "no-answers": "No answer counts: nobody has answered, or every answer is excluded.",
    "circular-gold": (
        "The gold was made of this project's own votes, so people would be scored against themselves; "
        "annotators.csv has `agreement_with_others` in place of scores."
    ),
    "no-gold": "No item has gold to score people against.",
    "no-answers-with-gold": "Nobody answered an item that has gold.",
    "undefined": "Undefined: neither gold nor answers have what it measures, or they do not vary.",
    "undefined-difference": "Undefined for people or for the model.",
    "not-covered": "No interval: that for a majority covered too little in simulation.",
    "nothing-varies": "Nothing varies between items or people, so there is no variance to estimate.",
    "no-variance": "No interval: nothing varies between items or people, so there is no variance to estimate.",
    "is-wilson": "The interval is Wilson's.",
    "few-groups": "No interval: {n} groups of items are fewer than {least}.",
    "few-items": "No interval: {n} items are fewer than {least}.",
    "one-person-panel": "No interval for a fresh panel: 1 person is fewer than {least}.",
    "few-people-panel": "No interval for a fresh panel: {n} people are fewer than {least}.",
    "one-person": "Only 1 person: what others would score is hardly known from fewer than {least}.",
    "few-people": "Only {n} people: what others would score is hardly known from fewer than {least}.",
    "unequal-shares": (
        "Few people gave most answers: they vary the score like {n} people with equal shares, "
        "and the interval for a fresh panel is too narrow."
    ),
    "unequal-shares-fitted": (
        "Few people gave most answers: they vary the score like {n} people with equal shares, "
        "and the interval for a fresh panel may be too narrow."
    ),
    "places-unknown": "Places are unknown: no slope.",
    "few-people-slope": "{n} people are fewer than {least}: no slope.",
    "two-way-groups": "two-way jackknife: {n} people ({made}), {m} groups of items; {coverage}",
    "two-way-items": "two-way jackknife: {n} people ({made}), {m} items; {coverage}",
    "by-people": "by people",
    "refitted": "refitted without groups of people",
    "people-alike": "people differ no more than by chance, so their variance counts 0; {coverage}",
    "covered": "a fresh panel covered {share} in simulation",
    "not-simulated": "with so unequal shares of people it was not simulated",
    "variance-groups": "variance of {n} groups of items",
    "variance-items": "variance of {n} items",
    "wilson-groups": "Wilson's interval of {n} groups of items",
    "wilson-items": "Wilson's interval of {n} items",
    "positions": "; classes are positions",
    "no-shared-classes": "The options differ from item to item, and share no classes.",
    "no-option-in-texts": "No item shows a text in which an option occurs.",
    "same-options": "The options are the same for every item, so this is a class.",
    "matched-by-ids": "{model}: matched by ids alone, as the file has no stimulus_sha256.",
    "unreadable": "{model}: {n} answers cannot be read as an answer to the question: wrong.",
    "unpaired": (
        "Unpaired: of a published score it is not known which items were right; its own variance p(1 - p)/n is added,"
        " and equal items cannot be checked."
    ),
    "skips-wrong": "Skips of people count as wrong, as in `hromada baseline`.",
    "place": "place in the session",
    "session": "session",
    "and-later": "{n} and later",
    "no-rule": "no rule",
    "as-collected": "as collected",
    "control-and-seconds": "control > {share:g} %, ≥ {seconds:g} s",
    "control-above": "control > {share:g} %",
    "seconds-from": "≥ {seconds:g} s",
}
"""Why a score or its interval is missing or doubtful, how the interval was made, and what was scored."""

CONSENSUS = {
    "majority": "The majority",
    "gold_majority": "The majority weighed by gold",
    "wawa": "Wawa",
    "dawid_skene": "Dawid-Skene",
    "one_coin_dawid_skene": "One-coin Dawid-Skene",
    "glad": "GLAD",
    "one_coin": "The one-coin posterior",
    "skills": "Aggregation by skill",
    "rover": "ROVER",
    "closest": "The text nearest to all",
    "labels": "labels",
    "boxes": "boxes",
    "texts": "texts",
    "corrected-texts": "corrected texts",
    "parts": "parts of a text",
    "no-dawid-skene": "Dawid-Skene needs one label an item; {what}: use the majority.",
    "boxes-apart": "boxes are judged each by itself (`hromada aggregate --method dawid_skene` labels them so)",
    "texts-apart": "texts are no labels that items share",
    "parts-apart": "parts of a text are no labels that items share",
    "needs-classes": (
        "{method} needs labels that mean the same on every item, and these options differ from item to item or are"
        " free texts."
    ),
    "needs-texts": "{method} is made of texts, and labels are not texts.",
    "no-anchors": "{method} cannot take known labels into account.",
    "cannot-weigh": "{method} cannot weigh {what}.",
    "too-slow": "GLAD needs minutes to hours for more than {n} votes.",
    "people-without-gold": (
        "The majority weighed by gold needs an answer of everybody to an item with gold, and {n} annotators have none,"
        " {name!r} among them."
    ),
    "boxes-differ": (
        "The boxes differ from item to item and share no classes, so what people say of one tells nothing of another."
    ),
    "use": "Use {method}.",
    "use-either": "Use {method} or {other}.",
    "fallback": "The majority stands in its place.",
    "not-converged": "The estimation had not converged after {n} iterations.",
    "few-votes": (
        "Annotators gave {n:g} votes in the median, fewer than the {cells} cells of a confusion matrix "
        "of {classes} labels: prefer the majority."
    ),
    "collapsed": "The label {label!r} has {share:.0f} % of the votes and not one item: compare with the majority.",
    "not-settled": "The one-coin estimation had not settled after {n} iterations.",
    "weightless": "{n} items were answered only by people without weight; plain shares of votes decide them.",
    "inner-ties": "{n} items were tied when the first majority was taken; crowd-kit settles those alphabetically.",
    "bound-fell": "The estimation stopped on a fall of its bound by {change:.2g} a vote: it did not converge.",
    "unvoted-anchors": "{n} gold anchors name a label that nobody gave and are left out.",
    "sparse-for-size": "More than {n} votes: fitted by the sparse Dawid-Skene instead of crowd-kit's.",
    "sparse-until-still": "Run until nothing moves: fitted by the sparse Dawid-Skene instead of crowd-kit's.",
}
"""The names of methods and of answers, why a method does not fit, and what makes its labels doubtful."""

GOLD_REVIEW = {
    "ceiling": (
        "Ceiling of the score: {ceiling} of the gold is right and can be decided; wrong is {wrong} ({n} of {m} items"
        " with gold reviewed, weighted by the sampling; in brackets for items like these, then for these)."
    ),
    "no-ceiling": "Ceiling of the score: {reason} ({n} of {m} items with gold reviewed)",
    "no-estimate": "No estimate: no item of {stratum!r} was reviewed.",
    "few-reviewed": "Only {n} of the {m} items of {stratum!r} were reviewed, fewer than {least}.",
    "decided-too-early": (
        "{n} decided items of {stratum!r} do not count until {item!r} is decided, which was offered before them:"
        " without it they are no random sample."
    ),
}
"""What a review of the gold found."""

VARIANTS = {
    "pooled": "all votes pooled",
    "skips-excluded": "skips excluded",
    "first-answers": "first answers",
    "exposed-only": "exposed only",
    "without-insiders": "without insiders",
    "exclusions-kept": "exclusions kept",
    "adjudicated": "gold as adjudicated",
    "instructions": "instructions {version}",
    "pooled-means": "all votes of items that got more than were planned, which gives contested items more weight",
    "skips-excluded-means": "without the skips, which the primary score counts as wrong",
    "first-answers-means": "the first answers, before any undo",
    "exposed-only-means": "only answers of people who had met the group before, which no other score counts",
    "without-insiders-means": "without the authors of the campaign and their colleagues",
    "exclusions-kept-means": "with the answers that quality rules and reviewers excluded",
    "adjudicated-means": (
        "against the next version of the gold, as adjudicators decided; the first one is the headline"
    ),
    "instructions-means": "only answers under that version of the instructions",
}
"""The names of score variants, and which answers they count."""

EXCLUSIONS = {
    "pilot-item": "pilot item",
    "training-item": "training item",
    "qualification-item": "qualification item",
    "control-item": "control item",
    "repeated-item": "repeated item",
    "exposed": "exposed: scored apart",
    "no-answer": "no answer",
    "no-response": "no response",
    "abstained": "abstained",
    "skipped": "skipped",
    "extra": "extra: the item had its answers",
    "several-texts": "several texts",
    "item-changed": "the item was changed: revision {revision}",
    "deleted": "deleted in Label Studio",
    "earlier": "earlier: given elsewhere",
    "second-pass": "second pass: the gold was shown",
    "withdrawn": "withdrawn by the annotator",
    "erased": "erased at the annotator's request",
    "declined": "declined: {what}",
    "training-failed": "training: {right} of {n} right",
    "qualification-failed": "qualification: {right} of {n} right",
    "kept": "as it was before their data were erased",
    "status": "status {status}",
    "rejected": "rejected in review",
    "rejected-because": "rejected in review: {why}",
    "excluded-person": "the person was excluded",
    "first-counts": "repeat, the first counts",
    "last-counts": "repeat, the last counts",
    "text-empty": "text without words",
    "text-repeated": "text repeated from item to item",
    "text-copied": "text copied from the item",
    "text-words": "text with a word of the list",
    "too-fast-item": "under {seconds:g} s for an item",
    "too-fast-page": "under {seconds:g} s for a page",
    "straight-lining": "the same place {times} times in a row",
    "controls": "{counted} right {share}, with at least {least}",
    "controls-of-last": "{counted} right {share}, of the last {window}, with at least {least}",
    "control-items": "control items",
    "control-and-training-items": "control and training items",
}
"""Why answers do not count: kinds of answers, decisions, and the words of quality rules."""

FACTS = {
    "undo": "An answer can be changed until another item of its group was shown or the project was closed.",
    "skips-fill": "An item can be skipped for a reason; the skip fills a place of the item, and is scored as wrong.",
    "skips-return": "An item can be skipped for a reason; its place goes to somebody else.",
    "controls-per-page": "{n} a page",
    "controls-share": "{share:.0%} of the items",
    "no-rate": "not by a rate",
    "hourly": "{rate} {currency} an hour of active work",
    "per-item": "{rate} {currency} an item",
    "no-pass-mark": "no pass mark",
    "attempts": "{mark}, {n} attempts at most",
    "random": "random",
    "random-within": "random within {column}",
    "to": "{low} to {high}",
    "plan-hours-width": (
        "{items} items in {groups} groups, {answers} answers, about {hours:g} hours; 95 % interval about ±{width:.3f},"
        " at most ±{most:.3f}"
    ),
    "plan-width": (
        "{items} items in {groups} groups, {answers} answers; 95 % interval about ±{width:.3f}, at most ±{most:.3f}"
    ),
    "plan-hours": "{items} items in {groups} groups, {answers} answers, about {hours:g} hours",
    "plan": "{items} items in {groups} groups, {answers} answers",
}
"""How a campaign was set up."""

LINT = {
    "groups-in-pools": "{n} groups have items in several pools, {m} items in all.",
    "shared-texts": "{n} of {m} items share {k} texts in the field {field!r}, and no group is declared.",
    "field-is-gold": "The field {field!r} is the gold in {n} of {m} items with gold ({name}).",
    "field-is-place": (
        "The field {field!r} is the place of the gold (counted from {base}) in {n} of {m} items with gold ({name})."
    ),
    "field-marks-gold": (
        "The field {field!r} marks the gold among the options with {mark!r} in {n} of {m} items with gold ({name})."
    ),
    "items-with": "{n} of {m} items: {problem}.",
    "too-few-options": "an item to choose on has fewer than two options",
    "empty-option": "an option without text",
    "double-option": "an option that stands twice in one item",
    "gold-not-an-option": "gold that nobody can choose",
    "mixed-script": "a word with both Latin and Cyrillic letters",
    "lone-latin": (
        "a single Latin letter that looks Cyrillic, between Cyrillic words (I and X, the numerals, are let pass)"
    ),
    "gold-position": "Gold is option {place} of {options} in {n} of {m} items ({reason}).",
    "by-chance": "by chance in {share:.1g} of all sets",
    "chi-square": "χ² = {chi_square:.1f}, df {df}, p = {p:.1g}",
    "long-option": (
        "{n} of {m} items have an option of {name!r} longer than {letters} characters; the longest has {most}."
    ),
    "many-long-options": "{n} of {m} items have more than {k} long options of {name!r}.",
    "long-text": "{n} of {m} items are longer than a Telegram message; the longest has {most} UTF-16 units.",
    "repeats": "{n} of {m} items repeat an earlier one.",
    "repeats-with-other-gold": "{n} of {m} items repeat an earlier one, {k} of them with another gold.",
    "nothing-shown": "{n} of {m} items have nothing to show.",
    "empty-field": "The field {field!r} is empty in {n} of {m} items.",
    "fill-cell": "Fill the cell, or leave the row out.",
    "add-options": "Add the others.",
    "shorten-options": "Shorten the options, or take some out.",
    "write-option": "Take it out, or write it.",
    "change-option": "Change one of them.",
    "write-gold": "Write one of them, or leave the cell empty.",
    "hide-field": "Take the field out of what is shown.",
    "one-pool": "Move the whole group into one pool.",
    "shuffle": "Shuffle the options of each item with a recorded seed.",
    "keep-one": "Keep one of each, or give both the same group.",
    "name-group": "Name the column of the story, article or word as `group`.",
    "fill-field": "Fill it, or leave the rows out.",
    "retype-word": "Type the word anew on one keyboard.",
    "retype-letter": "Type the letter anew on the Cyrillic keyboard.",
    "options-listed": "Nothing needs to be done: the options are listed in the message, and the buttons carry letters.",
    "text-split": "Nothing needs to be done: it is sent in several messages. A shorter text is easier to judge.",
    "keep-hidden": "Do not show it before the answer, here or in Label Studio, and mind it when you publish the items.",
}
"""What the lint finds in items, and what to do about it."""

FINDINGS: Mapping[str, str] = MappingProxyType(
    {"figure": "{text}", "both": "{first} {second}"}
    | AGREEMENT
    | SCORES
    | CONSENSUS
    | GOLD_REVIEW
    | VARIANTS
    | EXCLUSIONS
    | FACTS
    | LINT
)
"""The English sentence of each code, with the arguments in braces; it is the msgid in `exports/pages/languages`."""
