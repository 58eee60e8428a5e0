"""The checks of lines on people: who they were, what they agreed to, how they were found, taught and paid."""

from __future__ import annotations

from exports.checklist.verdicts import (
    Subject,
    Verdict,
    describe_spread,
    judge_each,
    met,
    not_scored,
    not_seen,
    unmet,
)
from exports.pages.display_text import format_count
from exports.pages.reasons import translate_reason
from exports.pages.translation import localize_number, translate
from exports.results import DataSetResult

FEW_PEOPLE = 10
"""Below this many people the literature asks for a warning."""


def check_contributors(subject: Subject) -> Verdict:
    """R02: people with an answer that counts, and how many items each answered."""
    counted = subject.first.list_counted_answers()
    if counted.empty:
        return unmet(translate("Nobody's answer counts."), translate("Collect or import answers first."))
    items = counted.groupby("annotator")["item_id"].nunique()
    few = translate(" Fewer than {few} people.", few=FEW_PEOPLE) if len(items) < FEW_PEOPLE else ""
    return met(
        translate(
            "{annotators}; items each: {spread}.{few}",
            annotators=format_count(len(items), "contributing annotator"),
            spread=describe_spread(list(items)),
            few=few,
        )
    )


def check_ethics(subject: Subject) -> Verdict:
    """R09: the ethics review, in the organiser's words."""
    return check_declared(subject, "ethics")


def check_declared(subject: Subject, name: str) -> Verdict:
    """A fact that only the organiser can declare."""
    value = subject.project.declared.get(name, "").strip()
    if not value:
        meaning = subject.project.declared_meanings.get(name, "")
        return unmet(
            translate("`declared.{name}` is empty.", name=name),
            translate(
                "Write under `declared.{name}` {meaning}, and load the file again with `--yes`.",
                name=name,
                meaning=meaning,
            ),
        )
    return met(translate("Declared: “{value}”.", value=value))


def check_consent(subject: Subject) -> Verdict:
    """R10: everybody agreed to a text before their first main answer."""
    project = subject.project
    if project.imported:
        return not_seen(translate("what they agreed to was not seen here."))
    if project.n_without_consent is None:
        return unmet(
            translate("No consent is asked for."),
            translate("Name a text under `consent` in the project or programme file."),
        )
    if project.n_without_consent:
        return unmet(
            translate(
                "{answers} came before any consent of their annotator.",
                answers=format_count(project.n_without_consent, "main answer"),
            ),
            translate("Exclude them, or record the agreements that were given on paper: `hromada people agree`."),
        )
    texts = [text for text in project.texts if text.kind == "consent"]
    if not texts or not all(text.text for text in texts):
        return unmet(translate("The text of the consent is not stored."), translate("Load the file again."))
    versions = ", ".join(
        translate(
            "version {version}: {people}", version=text.version, people=format_count(text.n_people or 0, "person")
        )
        for text in texts
    )
    return met(
        translate(
            "Nobody answered before agreeing ({versions}). Pseudonyms are keyed; no file holds an id of anybody.",
            versions=versions,
        )
    )


def check_population(subject: Subject) -> Verdict:
    """R11: the population of interest, and what people said about themselves."""
    declared = check_declared(subject, "population")
    if declared.status != "met":
        return declared
    fields = ", ".join(subject.project.profile_fields) or translate("not collected")
    return met(
        translate(
            "{declared} Asked of people: {fields}; cells under 3 are suppressed.",
            declared=declared.evidence,
            fields=fields,
        )
    )


def check_recruitment(subject: Subject) -> Verdict:
    """R12: how people were found."""
    return check_declared(subject, "recruitment")


def check_qualification(subject: Subject) -> Verdict:
    """R15: the qualification, its rule, and how many tried, passed and failed."""
    project = subject.project
    if project.imported:
        return not_seen(translate("how they qualified was not seen here."))
    stage = project.qualification
    if stage is None:
        return met(translate("No qualification was asked for."))
    words = translate(
        "{rule}, on {items}: {tried} tried, {passed} passed, {failed} failed.",
        rule=translate_reason(stage.rule),
        items=format_count(stage.n_items, "item"),
        tried=stage.n_tried,
        passed=stage.n_passed,
        failed=stage.n_failed,
    )
    if stage.fixed_before is False or (stage.fixed_before is None and stage.n_tried):
        known = translate("was not") if stage.fixed_before is False else translate("is not known to have been")
        return unmet(
            translate("{words} The rule {known} fixed before the first attempt.", words=words, known=known),
            translate("Say so, and start a new project."),
        )
    return met(words)


def check_training(subject: Subject) -> Verdict:
    """R16: the training, apart from what is scored."""
    project = subject.project
    if project.imported:
        return not_seen(translate("how they were trained was not seen here."))
    if project.shared_ids or project.shared_groups:
        return unmet(
            translate(
                "{items} and {groups} of training, qualification, control or pilot are among the main items, too.",
                items=format_count(project.shared_ids, "item"),
                groups=format_count(project.shared_groups, "group"),
            ),
            translate("Take them out of the main items."),
        )
    n_items = len(project.training_items)
    if not n_items:
        return met(translate("No training was given; no item of another pool, nor its group, is a main item."))
    shown = translate("the gold and an explanation") if project.training_explains else translate("the gold")
    return met(
        translate(
            "{items}, each answer followed by {shown}; apart by item and group.",
            items=format_count(n_items, "training item"),
            shown=shown,
        )
    )


def check_pay(subject: Subject) -> Verdict:
    """R17: what people got."""
    declared = check_declared(subject, "pay")
    pay = subject.project.pay
    if declared.status != "met":
        return declared
    if pay is None:
        return declared
    rate = (
        ""
        if pay.hourly_median is None
        else translate(
            "; median of an active hour {median} {currency}",
            median=localize_number(f"{pay.hourly_median:g}"),
            currency=pay.currency,
        )
    )
    return met(
        translate(
            "{declared} Promised: {scheme}{rate}.",
            declared=declared.evidence,
            scheme=translate_reason(pay.scheme),
            rate=rate,
        )
    )


def check_tools(subject: Subject) -> Verdict:
    """R22: which tools people might use, and what they attested."""
    declared = check_declared(subject, "ai_use")
    if declared.status != "met" or not subject.project.attestation:
        return declared
    few = translate("under 3")
    said = ", ".join(f"{one.value} {few if one.n is None else one.n}" for one in subject.project.attested)
    return met(
        translate(
            "{declared} Attested after sessions: {said}.",
            declared=declared.evidence,
            said=said or translate("nothing yet"),
        )
    )


def check_person_scores(subject: Subject) -> Verdict:
    """R32: the distribution of people's own scores."""
    if not subject.scored:
        return not_scored(subject)
    table = subject.state.tables.annotators

    def judge(result: DataSetResult) -> Verdict:
        rows = table.loc[(table["dataset"] == result.data.name) & table["accuracy"].notna()]
        if rows.empty:
            return unmet(translate("annotators.csv has no score of anybody."), translate("Release again; report this."))
        scores = [100 * float(value) for value in rows["accuracy"]]
        return met(
            translate(
                "{people}, each with n and Wilson's interval; score: {spread}.",
                people=format_count(len(rows), "person"),
                spread=describe_spread(scores),
            )
        )

    return judge_each(subject.scored, judge)
