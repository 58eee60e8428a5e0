"""The checks of lines on answers: how many an item has, under which instructions, which do not count, and skips."""

from __future__ import annotations

from collections import Counter

from aggregation.placeholders import is_unwritten
from exports.checklist.verdicts import (
    ELSEWHERE,
    Subject,
    Verdict,
    check_scored,
    contradictory,
    describe_spread,
    incomplete,
    list_missing,
    met,
    not_evidenced,
    not_seen,
    unmet,
)
from exports.pages.display_text import format_count, format_percent
from exports.pages.localization import show_finding, translate
from exports.results import DataSetResult
from exports.score_variants import EXCLUSIONS_KEPT, SKIPS_EXCLUDED, name_instructions, restore_excluded


def check_overlap(subject: Subject) -> Verdict:
    """R06: answers per item, planned and achieved."""
    data = subject.first
    rows = data.responses.loc[data.exclusion_kinds().isna()]
    open_items = data.items.loc[data.items["status"].isna() | (data.items["status"] == "open"), "item_id"]
    places = rows.groupby("item_id").size().reindex(open_items, fill_value=0)
    if places.empty or not places.max():
        return unmet("No item has an answer that counts.", translate("Collect or import answers first."))
    apart = len(data.items) - len(open_items)
    paused = translate(" {items} paused or withdrawn.", items=format_count(apart, "item")) if apart else ""
    words = translate("answers an item: {spread}.{paused}", spread=describe_spread(list(places)), paused=paused)
    if data.overlap is None:
        unanswered = int((places == 0).sum())
        return not_seen(
            "what was planned is not known; {words} {unanswered} without any.", words=words, unanswered=unanswered
        )
    planned = data.list_planned_places().reindex(places.index)
    short = int((places < planned).sum())
    if data.sample is not None:
        one_vote = format_count(data.count_one_vote_items(), "item")
        words += " " + translate("Labels that rest on one vote: {items}.", items=one_vote)
    if short:
        return unmet(
            "Planned {overlap}; {short} of {n_items} have fewer; {words}",
            translate("Go on until `hromada status` shows every item done; or pause items that nobody can answer."),
            overlap=show_finding(data.planned_words),
            short=format_count(short, "item"),
            n_items=len(places),
            words=words,
        )
    return met("Planned {overlap}; {words}", overlap=show_finding(data.planned_words), words=words)


def check_pilot(subject: Subject) -> Verdict:
    """R08: the pilot, none of whose answers count."""
    project = subject.project
    counted = subject.first.responses.loc[subject.first.exclusion_kinds().isna(), "stage"]
    wrong = int((counted != "main").sum())
    if wrong:
        return contradictory("{answers} of other stages count.", answers=format_count(wrong, "answer"))
    if project.imported:
        return not_seen("whether the task was piloted is not known here.")
    if not project.pilot_items:
        return met("There was no pilot stage; only answers of the main stage count.")
    return met(
        "A pilot of {items} and {answers}; none of them counts.",
        items=format_count(project.pilot_items, "item"),
        answers=format_count(project.pilot_answers, "answer"),
    )


def check_instructions(subject: Subject) -> Verdict:
    """R18: the instructions verbatim, and which version each answer saw."""
    data, project = subject.first, subject.project
    if project.imported:
        return not_seen("which instructions they read was not seen here.")
    counted = data.list_counted_answers()
    missing = int(counted["instruction_sha256"].isna().sum())
    if missing:
        return unmet(
            "{answers} do not say which instructions were read.",
            translate("Say so; report this."),
            answers=format_count(missing, "answer"),
        )
    texts = {text.sha256: text.text for text in project.texts if text.kind == "instructions"}
    seen = sorted(set(counted["instruction_sha256"]))
    unknown = [version for version in seen if not texts.get(version)]
    if unknown:
        return unmet(
            "The text of the version {version} is not stored.",
            translate("Load the project file with that text again."),
            version=unknown[0][:12],
        )
    if len(seen) == 1:
        return met(
            "One version, {version}, verbatim in texts/, on all {answers}.",
            version=seen[0][:12],
            answers=format_count(len(counted), "answer"),
        )
    without = [version for version in seen if _lacks_version_scores(subject, version)]
    if without:
        return incomplete(
            "{n} versions; no scores under {versions}.",
            n=len(seen),
            versions=", ".join(version[:12] for version in without),
        )
    scores = (
        translate("each with its own scores in human_baseline.csv") if subject.scored else translate("nobody is scored")
    )
    return met("{n} versions, verbatim in texts/; {scores}.", n=len(seen), scores=scores)


def _lacks_version_scores(subject: Subject, version: str) -> bool:
    """Whether a data set whose scores rest on several versions has none under this one, and no reason why."""
    names = []
    for name, data in subject.first_places.items():
        versions = set(data.responses.loc[data.exclusion_kinds().isna(), "instruction_sha256"].dropna())
        if version in versions and len(versions) > 1:
            names.append(name)
    return bool(list_missing(subject, name_instructions(version), names))


def check_controls(subject: Subject) -> Verdict:
    """R24: control items, which are never in the score."""
    rows = subject.first.responses
    controls = rows.loc[rows["is_control"].eq(other=True)]
    inside = int(controls["excluded_kind"].isna().sum())
    if inside:
        return contradictory("{answers} to control items count.", answers=format_count(inside, "answer"))
    if controls.empty:
        if subject.project.imported:
            return not_evidenced(
                "{elsewhere}; no vote is marked as one to a control item.", elsewhere=translate(ELSEWHERE)
            )
        planned = (
            translate(" The file plans them, though: {controls}.", controls=show_finding(subject.project.controls))
            if subject.project.controls
            else ""
        )
        return met("No control items were used.{planned}", planned=planned)
    gold = subject.first.control_gold
    judged = controls.loc[controls["item_id"].isin(gold) & controls["response"].notna()]
    right = sum(
        subject.first.is_right(str(item), str(answer), gold[str(item)])
        for item, answer in zip(judged["item_id"], judged["response"], strict=True)
    )
    share = translate("; {right} of {known} right", right=right, known=len(judged)) if len(judged) else ""
    how = f" ({show_finding(subject.project.controls)})" if subject.project.controls else ""
    return met(
        "{items}{how}, {answers}, none in the score{share}; each person's are in annotators.csv.",
        items=format_count(controls["item_id"].nunique(), "control item"),
        how=how,
        answers=format_count(len(controls), "answer"),
        share=share,
    )


def check_exclusions(subject: Subject) -> Verdict:
    """R25: every answer that does not count has a reason, and the rules were fixed before."""
    rows, project = subject.first.responses, subject.project
    out = rows.loc[subject.first.exclusion_kinds().notna()]
    reasons = out["excluded_reason"]
    empty = [reason for reason in reasons.dropna().unique() if is_unwritten(str(reason))]
    nameless = int((reasons.isna() | reasons.isin(empty)).sum())
    if nameless:
        return contradictory("{answers} are excluded without a reason.", answers=format_count(nameless, "answer"))
    counts = subject.first.count_excluded()
    words = "; ".join(f"{show_finding(reason)}: {count}" for reason, count in counts.items())
    words = words or translate("nothing is excluded")
    total = translate(
        "{n} of {answers} do not count ({words}).", n=len(out), answers=format_count(len(rows), "answer"), words=words
    )
    by_rule = bool(out["by_rule"].eq(other=True).any())
    if project.imported and by_rule:
        return not_evidenced("{total} When the rules were made is not known.", total=total)
    if sum(counts.values()) != len(out):
        return contradictory("{total} The counts by reason do not make the total.", total=total)
    if not project.imported and not project.rules_fixed_before and (rows["stage"] == "main").any():
        whether = (
            translate("were not") if project.rules_fixed_before is False else translate("are not known to have been")
        )
        return unmet(
            "{total} Rules {known} fixed before the first answer.",
            translate("Say so; start a new project to fix them."),
            total=total,
            known=whether,
        )
    later = int(out["post_hoc"].eq(other=True).sum())
    changed = (
        translate(" Changed after the start: {changes}.", changes="; ".join(project.post_hoc))
        if project.post_hoc
        else ""
    )
    people = translate("{people} removed.", people=format_count(len(subject.first.removed_annotators), "person"))
    return met(
        "{total} {later} by rules of after the start. {people}{changed}",
        total=total,
        later=later,
        people=people,
        changed=changed,
    )


@check_scored
def check_with_exclusions(_subject: Subject, result: DataSetResult) -> Verdict:
    """R26: the results with and without exclusions."""
    by_rule = result.data.responses["by_rule"].eq(other=True)
    if not bool(by_rule.any()):
        return met("No rule and no organiser excluded an answer.")
    variants = result.list_variants()
    if EXCLUSIONS_KEPT in result.missing_variants:
        return met(
            "Without the exclusions there is no score: {reason}",
            reason=show_finding(result.missing_variants[EXCLUSIONS_KEPT]),
        )
    if EXCLUSIONS_KEPT not in variants:
        first = result.data.keep_first_places()
        restored = restore_excluded(first)
        if int(restored.exclusion_kinds().isna().sum()) != int(first.exclusion_kinds().isna().sum()):
            return incomplete("The score with the exclusions is missing.")
        return met("The answers that rules excluded would not count for another reason either.")
    unit = variants[EXCLUSIONS_KEPT]["individual"]
    far = result.exceeds_half_width(unit, unit.primary)
    note = translate(" It is further off than half the interval.") if far else ""
    value = translate("undefined") if unit.primary.value is None else format_percent(unit.primary.value)
    return met("With what rules excluded: {value}, in human_baseline.csv.{note}", value=value, note=note)


def check_skips(subject: Subject) -> Verdict:
    """R29: skips and abstentions, and how they are scored."""
    data = subject.first
    skips = len(data.list_counted_skips())
    kinds = Counter(str(kind) for kind in data.exclusion_kinds().dropna())
    others = translate(
        "{skipped} that do not, {abstained} abstentions.", skipped=kinds["skipped"], abstained=kinds["abstained"]
    )
    words = translate("{skips} that fill a place, {others}", skips=format_count(skips, "skip"), others=others)
    if subject.project.imported:
        return not_seen("whether items could be skipped is not known. {words}", words=words)
    concerned = [name for name, data in subject.first_places.items() if len(data.list_counted_skips())]
    missing = list_missing(subject, SKIPS_EXCLUDED, concerned)
    if missing:
        return contradictory(
            "{words} The score without skips is missing in {names}.", words=words, names=", ".join(missing)
        )
    return met(f"{words} {show_finding(subject.project.skips)}")
