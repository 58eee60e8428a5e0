"""Translates the English sentences of computations and quality rules, which pages recognise by their patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from exports.pages.translation import LANGUAGES, get_language, localize_number, mark_text, translate

LINT = (
    mark_text("error"),
    mark_text("warning"),
    mark_text("note"),
    mark_text("{n} groups have items in several pools, {m} items in all."),
    mark_text("{n} of {m} items share {k} texts in the field {field}, and no group is declared."),
    mark_text("The field {field} {predicate} in {n} of {m} items with gold ({name})."),
    mark_text("is the gold"),
    mark_text("is the place of the gold (counted from {base})"),
    mark_text("marks the gold among the options with {mark}"),
    mark_text("by chance in {share} of all sets"),
    mark_text("{n} of {m} items: {problem}."),
    mark_text("Gold is option {place} of {options} in {n} of {m} items ({reason})."),
    mark_text("{n} of {m} items have an option of {name} longer than {letters} characters; the longest has {most}."),
    mark_text("{n} of {m} items have more than {k} long options of {name}."),
    mark_text("{n} of {m} items are longer than a Telegram message; the longest has {most} UTF-16 units."),
    mark_text("{n} of {m} items repeat an earlier one."),
    mark_text("{n} of {m} items repeat an earlier one, {k} of them with another gold."),
    mark_text("{n} of {m} items have nothing to show."),
    mark_text("The field {field} is empty in {n} of {m} items."),
    mark_text("an item to choose on has fewer than two options"),
    mark_text("an option without text"),
    mark_text("an option that stands twice in one item"),
    mark_text("gold that nobody can choose"),
    mark_text("a word with both Latin and Cyrillic letters"),
    mark_text(
        "a single Latin letter that looks Cyrillic, between Cyrillic words (I and X, the numerals, are let pass)"
    ),
    mark_text("Fill the cell, or leave the row out."),
    mark_text("Add the others."),
    mark_text("Shorten the options, or take some out."),
    mark_text("Take it out, or write it."),
    mark_text("Change one of them."),
    mark_text("Write one of them, or leave the cell empty."),
    mark_text("Take the field out of what is shown."),
    mark_text("Move the whole group into one pool."),
    mark_text("Shuffle the options of each item with a recorded seed."),
    mark_text("Keep one of each, or give both the same group."),
    mark_text("Name the column of the story, article or word as `group`."),
    mark_text("Fill it, or leave the rows out."),
    mark_text("Type the word anew on one keyboard."),
    mark_text("Type the letter anew on the Cyrillic keyboard."),
    mark_text("Nothing needs to be done: the options are listed in the message, and the buttons carry letters."),
    mark_text("Nothing needs to be done: it is sent in several messages. A shorter text is easier to judge."),
    mark_text("Do not show it before the answer, here or in Label Studio, and mind it when you publish the items."),
)
"""What `annotation.campaigns.lint` finds, how serious it is, and what to do about it."""


WORDS = (
    mark_text("items"), mark_text("groups of items"), mark_text("by people"),
    mark_text("refitted without groups of people"), mark_text("an item"), mark_text("a page"),
    mark_text("control items"), mark_text("control and training items"), mark_text("nominal"), mark_text("ordinal"),
    mark_text("interval"), mark_text("ratio"), mark_text("similarity"), mark_text("none"),
    mark_text("labels"), mark_text("boxes"), mark_text("texts"),
    mark_text("corrected texts"), mark_text("parts of a text"), mark_text("construction"), mark_text("expert"),
    mark_text("votes"), mark_text("adjudication"), mark_text("declared"), mark_text("{n} and later"),
    mark_text("place in the session"), mark_text("session"), mark_text("no rule"), mark_text("as collected"),
    mark_text("control > {share} %, ≥ {seconds} s"), mark_text("control > {share} %"), mark_text("≥ {seconds} s"),
)  # fmt: skip
"""Names of a value that stand alone or within a sentence."""

EXCLUSIONS = (
    mark_text("pilot item"),
    mark_text("training item"),
    mark_text("qualification item"),
    mark_text("control item"),
    mark_text("repeat"),
    mark_text("repeated item"),
    mark_text("exposed"),
    mark_text("exposed: scored apart"),
    mark_text("no answer"),
    mark_text("no response"),
    mark_text("abstained"),
    mark_text("skipped"),
    mark_text("extra"),
    mark_text("extra: the item had its answers"),
    mark_text("several texts"),
    mark_text("item changed"),
    mark_text("the item was changed: revision {revision}"),
    mark_text("deleted"),
    mark_text("deleted in Label Studio"),
    mark_text("earlier"),
    mark_text("earlier: given elsewhere"),
    mark_text("second pass"),
    mark_text("second pass: the gold was shown"),
    mark_text("withdrawn"),
    mark_text("erased"),
    mark_text("not accepted"),
    mark_text("rejected"),
    mark_text("rejected in review"),
    mark_text("rejected in review: {why}"),
    mark_text("rule"),
    mark_text("organiser"),
    mark_text("the person was excluded"),
    mark_text("repeat, the first counts"),
    mark_text("repeat, the last counts"),
    mark_text("text without words"),
    mark_text("text repeated from item to item"),
    mark_text("text copied from the item"),
    mark_text("text with a word of the list"),
    mark_text("under {seconds} s for {what}"),
    mark_text("the same place {times} times in a row"),
    mark_text("{counted} right {share}, of the last {window}, with at least {least}"),
    mark_text("{counted} right {share}, with at least {least}"),
)
"""Why answers do not count: the kinds of exclusion, and the words of quality rules."""

STATUSES = (
    mark_text("corrected"), mark_text("unchanged"), mark_text("unusable"), mark_text("not answered"),
    mark_text("text changed"), mark_text("usable"), mark_text("tied"), mark_text("met"), mark_text("unmet"),
    mark_text("not applicable"), mark_text("not evidenced"), mark_text("block"), mark_text("warn"),
    mark_text("state"),
)  # fmt: skip
"""The statuses of corrections and stories, and the statuses and levels of lines of the checklist."""

SCORES = (
    mark_text("No answer counts: nobody has answered, or every answer is excluded."),
    mark_text(
        "The gold was made of this project's own votes, so people would be scored against themselves; "
        "annotators.csv has `agreement_with_others` in place of scores."
    ),
    mark_text("No item has gold to score people against."),
    mark_text("Nobody answered an item that has gold."),
    mark_text("Undefined: neither gold nor answers have what it measures, or they do not vary."),
    mark_text("No interval: that for a majority covered too little in simulation."),
    mark_text("Nothing varies between items or people, so there is no variance to estimate."),
    mark_text("No interval: nothing varies between items or people, so there is no variance to estimate."),
    mark_text("The interval is Wilson's."),
    mark_text("No interval: {n} groups of items are fewer than {least}."),
    mark_text("No interval: {n} items are fewer than {least}."),
    mark_text("No interval for a fresh panel: 1 person is fewer than {least}."),
    mark_text("No interval for a fresh panel: {n} people are fewer than {least}."),
    mark_text("Only 1 person: what others would score is hardly known from fewer than {least}."),
    mark_text("Only {n} people: what others would score is hardly known from fewer than {least}."),
    mark_text(
        "Few people gave most answers: they vary the score like {n} people with equal shares, "
        "and the interval for a fresh panel is too narrow."
    ),
    mark_text(
        "Few people gave most answers: they vary the score like {n} people with equal shares, "
        "and the interval for a fresh panel may be too narrow."
    ),
    mark_text("Places are unknown: no slope."),
    mark_text("{n} people are fewer than {least}: no slope."),
    mark_text("Undefined for people or for the model."),
    mark_text("Dawid-Skene needs one label an item; {what}: use the majority."),
    mark_text("boxes are judged each by itself (`hromada aggregate --method dawid_skene` labels them so)"),
    mark_text("texts are no labels that items share"),
    mark_text("parts of a text are no labels that items share"),
    mark_text(
        "{method} needs labels that mean the same on every item, and these options differ from item to item or are"
        " free texts."
    ),
    mark_text("The majority stands in its place."),
    mark_text("two-way jackknife: {n} people ({made}), {m} groups of items; {coverage}"),
    mark_text("two-way jackknife: {n} people ({made}), {m} items; {coverage}"),
    mark_text("people differ no more than by chance, so their variance counts 0; {coverage}"),
    mark_text("a fresh panel covered {share} in simulation"),
    mark_text("with so unequal shares of people it was not simulated"),
    mark_text("variance of {n} groups of items"),
    mark_text("variance of {n} items"),
    mark_text("Wilson's interval of {n} groups of items"),
    mark_text("Wilson's interval of {n} items"),
    mark_text("; classes are positions"),
    mark_text("The options differ from item to item, and share no classes."),
    mark_text("No item shows a text in which an option occurs."),
    mark_text("The options are the same for every item, so this is a class."),
)
"""Why a score or its interval is missing or doubtful, and how the interval was made."""

AGREEMENT = (
    mark_text("No item has two votes, so there is nothing to compare."),
    mark_text("No interval: every resample of items has the same value, because nothing varies between them."),
    mark_text("No interval: {n} groups of items are fewer than the {least} to resample."),
    mark_text("No interval: {n} items are fewer than the {least} to resample."),
    mark_text("No interval: 1 group of items is fewer than the {least} to resample."),
    mark_text("No interval: 1 item is fewer than the {least} to resample."),
    mark_text("Fleiss's kappa needs the same number of votes on every item, and here items have {least} to {most}."),
    mark_text("One label leaves nothing to agree on by chance."),
    mark_text("All compared votes are equal, so the expected disagreement is 0 and the coefficient is undefined."),
    mark_text("All compared sets are equal, so the expected disagreement is 0 and alpha is undefined."),
    mark_text(
        "An odd number of votes on two options always has a majority, so the design forces this share to be 1, "
        "however people answer."
    ),
    mark_text(
        "The options differ from item to item and share no classes to compare by; "
        "use percent agreement and its chance-corrected form."
    ),
    mark_text(
        "The boxes differ from item to item and share no classes whose sets could be compared by chance; every box as"
        " a yes or no of its own has an alpha."
    ),
    mark_text("The options differ from item to item and share no classes, so κ has no chance to correct by."),
    mark_text("Everybody always gave the same one label, so κ is undefined."),
    mark_text("No item was asked of the same person again."),
    mark_text("The median pair of annotators shares {median} item."),
    mark_text("The median pair of annotators shares {median} items."),
    mark_text("No two annotators have a kappa: they share no item, or always gave the same label."),
    mark_text(
        "Below {fewest} a pair's chance of equal answers is not known, and kappa falls with the number of annotators"
        " however well they agree: use Krippendorff's alpha."
    ),
    mark_text("Nobody corrected anything."),
    mark_text(
        "A mean posterior is what the model believes of its own labels, not how far people agree: it takes its "
        "estimates for known and annotators for independent, and is near 1 where alpha is not."
    ),
    mark_text("Report it beside alpha, under its own name."),
)
"""Why a coefficient of agreement is missing or doubtful."""

CONSENSUS = (
    mark_text("The estimation had not converged after {n} iterations."),
    mark_text("{method} is made of texts, and labels are not texts."),
    mark_text("{method} cannot take known labels into account."),
    mark_text("{method} cannot weigh {what}."),
    mark_text("GLAD needs minutes to hours for more than {n} votes."),
    mark_text(
        "The majority weighed by gold needs an answer of everybody to an item with gold, and {n} annotators have none,"
        " {name} among them."
    ),
    mark_text(
        "The boxes differ from item to item and share no classes, so what people say of one tells nothing of another."
    ),
    mark_text("Use {method} or {other}."),
    mark_text("Use {method}."),
    mark_text(
        "Annotators gave {n} votes in the median, fewer than the {cells} cells of a confusion matrix "
        "of {classes} labels: prefer the majority."
    ),
    mark_text("The label {label} has {share} % of the votes and not one item: compare with the majority."),
    mark_text("The one-coin estimation had not settled after {n} iterations."),
    mark_text("{n} items were answered only by people without weight; plain shares of votes decide them."),
    mark_text("{n} items were tied when the first majority was taken; crowd-kit settles those alphabetically."),
    mark_text("The estimation stopped on a fall of its bound by {change} a vote: it did not converge."),
    mark_text("{n} gold anchors name a label that nobody gave and are left out."),
    mark_text("More than {n} votes: fitted by the sparse Dawid-Skene instead of crowd-kit's."),
    mark_text("Run until nothing moves: fitted by the sparse Dawid-Skene instead of crowd-kit's."),
)
"""What makes the labels of a method doubtful."""

GOLD_REVIEW = (
    mark_text(
        "Ceiling of the score: {ceiling} of the gold is right and can be decided; wrong is {wrong} ({n} of {m} items"
        " with gold reviewed, weighted by the sampling; in brackets for items like these, then for these)."
    ),
    mark_text("Ceiling of the score: No estimate: no item of {stratum} was reviewed."),
    mark_text("({n} of {m} items with gold reviewed)"),
    mark_text("No estimate: no item of {stratum} was reviewed."),
    mark_text("Only {n} of the {m} items of {stratum} were reviewed, fewer than {least}."),
    mark_text(
        "{n} decided items of {stratum} do not count until {item} is decided, which was offered before them: without it"
        " they are no random sample."
    ),
)
"""The sentences of `exports.adjudicated_gold`."""

VARIANTS = (
    mark_text("all votes of items that got more than were planned, which gives contested items more weight"),
    mark_text("without the skips, which the primary score counts as wrong"),
    mark_text("the first answers, before any undo"),
    mark_text("only answers of people who had met the group before, which no other score counts"),
    mark_text("without the authors of the campaign and their colleagues"),
    mark_text("with the answers that quality rules and reviewers excluded"),
    mark_text("against the next version of the gold, as adjudicators decided; the first one is the headline"),
    mark_text("only answers under that version of the instructions"),
    mark_text("all votes pooled"),
    mark_text("skips excluded"),
    mark_text("first answers"),
    mark_text("exposed only"),
    mark_text("without insiders"),
    mark_text("exclusions kept"),
    mark_text("gold as adjudicated"),
    mark_text("instructions {version}"),
)
"""The names and descriptions of `exports.score_variants`."""

FACTS = (
    mark_text("An answer can be changed until another item of its group was shown or the project was closed."),
    mark_text("An item can be skipped for a reason; the skip fills a place of the item, and is scored as wrong."),
    mark_text("An item can be skipped for a reason; its place goes to somebody else."),
    mark_text("{n} a page"),
    mark_text("{share} of the items"),
    mark_text("not by a rate"),
    mark_text("{rate} an hour of active work"),
    mark_text("{rate} an item"),
    mark_text("no pass mark"),
    mark_text("{mark}, {n} attempts at most"),
    mark_text("random"),
    mark_text("random within {column}"),
    mark_text(
        "{items} items in {groups} groups, {answers} answers, about {hours} hours; 95 % interval about ±{width},"
        " at most ±{most}"
    ),
    mark_text("{items} items in {groups} groups, {answers} answers; 95 % interval about ±{width}, at most ±{most}"),
    mark_text("{items} items in {groups} groups, {answers} answers, about {hours} hours"),
    mark_text("{items} items in {groups} groups, {answers} answers"),
    mark_text("{model}: matched by ids alone, as the file has no stimulus_sha256."),
    mark_text("{model}: {n} answers cannot be read as an answer to the question: wrong."),
    mark_text(
        "Unpaired: of a published score it is not known which items were right; its own variance p(1 - p)/n is added,"
        " and equal items cannot be checked."
    ),
    mark_text("Skips of people count as wrong, as in `hromada baseline`."),
)
"""How the campaign was set up, as `ProjectFacts` has it, and the notes on models."""

PATTERNS = (*WORDS, *EXCLUSIONS, *STATUSES, *SCORES, *AGREEMENT, *CONSENSUS, *GOLD_REVIEW, *VARIANTS, *FACTS, *LINT)
"""All of them; where two fit, the one with more text of its own is meant."""


_END_OF_SENTENCE = re.compile(r"(?<=\.) (?=[(A-Z])")
_NUMBER = re.compile(r"[-+−±<>=≥]?\s?[\d.]+[\d\s.,;%–−\-\[\]]*")


def translate_reason(text: str) -> str:
    """The text in the language of the page; what is no pattern, as the words of an organiser, stays as it is.

    A text of several sentences is translated as a whole or else each by itself, and so is what follows the names that
    stand before a colon. Values within a pattern are translated
    in their turn, and numbers get the decimal mark of the language.
    """
    if get_language() == LANGUAGES[0] or not text:
        return text
    whole = _translate_pattern(text, get_language())
    if whole is not None:
        return whole
    sentences = _END_OF_SENTENCE.split(text)
    if len(sentences) > 1:
        return " ".join(map(translate_reason, sentences))
    about, colon, rest = text.partition(": ")
    if colon:
        return f"{about}: {translate_reason(rest)}"
    return localize_number(text) if _NUMBER.fullmatch(text) else text


def translate_reasons(texts: Sequence[str]) -> str:
    """The texts one after another, in the language of the page."""
    return " ".join(translate_reason(text) for text in texts if text)


@lru_cache(maxsize=4096)
def _translate_pattern(text: str, language: str) -> str | None:  # noqa: ARG001  # part of the key of the cache
    """The translation by the first pattern that fits the whole text; None where there is none."""
    for pattern, expression in _compile_patterns():
        found = expression.fullmatch(text)
        if found is not None:
            return translate(pattern, **{name: translate_reason(value) for name, value in found.groupdict().items()})
    return None


@cache
def _compile_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns with their regular expressions, those with most text of their own first: `{name}` is any text."""
    compiled = []
    for pattern in sorted(PATTERNS, key=lambda one: len(re.sub(r"\{\w+\}", "", one)), reverse=True):
        parts = re.split(r"\{(\w+)\}", pattern)
        texts = [f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts)]
        compiled.append((pattern, re.compile("".join(texts), re.DOTALL)))
    return tuple(compiled)
