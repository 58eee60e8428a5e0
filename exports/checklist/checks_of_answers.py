"""The checks of lines on answers: how many an item has, under which instructions, which do not count, and skips."""

from __future__ import annotations

from collections import Counter

from exports.checklist.variant_checks import list_missing
from exports.checklist.verdicts import (
    ELSEWHERE,
    Subject,
    Verdict,
    count_words,
    describe_spread,
    judge_each,
    met,
    not_evidenced,
    not_scored,
    unmet,
)
from exports.results import DataSetResult
from exports.score_variants import EXCLUSIONS_KEPT, INSTRUCTIONS, SKIPS_EXCLUDED, restore_excluded


def check_overlap(subject: Subject) -> Verdict:
    """R06: answers per item, planned and achieved."""
    data = subject.first
    rows = data.responses.loc[data.exclusion_kinds().isna()]
    open_items = data.items.loc[data.items["status"].isna() | (data.items["status"] == "open"), "item_id"]
    places = rows.groupby("item_id").size().reindex(open_items, fill_value=0)
    if places.empty or not places.max():
        return unmet("No item has an answer that counts.", "Collect or import answers first.")
    apart = len(data.items) - len(open_items)
    paused = f" {count_words(apart, 'item')} paused or withdrawn." if apart else ""
    words = f"answers an item: {describe_spread(list(places))}.{paused}"
    if data.overlap is None:
        unanswered = int((places == 0).sum())
        return not_evidenced(f"{ELSEWHERE}: what was planned is not known; {words} {unanswered} without any.")
    short = int((places < data.overlap).sum())
    if short:
        return unmet(
            f"Planned {data.overlap}; {count_words(short, 'item')} of {len(places)} have fewer; {words}",
            "Go on until `hromada status` shows every item done; or pause items that nobody can answer.",
        )
    return met(f"Planned {data.overlap}; {words}")


def check_pilot(subject: Subject) -> Verdict:
    """R08: the pilot, none of whose answers count."""
    project = subject.project
    counted = subject.first.responses.loc[subject.first.exclusion_kinds().isna(), "stage"]
    wrong = int((counted != "main").sum())
    if wrong:
        return unmet(f"{count_words(wrong, 'answer')} of other stages count.", "Report this.")
    if project.imported:
        return not_evidenced(f"{ELSEWHERE}: whether the task was piloted is not known here.")
    if not project.pilot_items:
        return met("There was no pilot stage; only answers of the main stage count.")
    return met(
        f"A pilot of {count_words(project.pilot_items, 'item')} and {count_words(project.pilot_answers, 'answer')};"
        " none of them counts."
    )


def check_instructions(subject: Subject) -> Verdict:
    """R18: the instructions verbatim, and which version each answer saw."""
    data, project = subject.first, subject.project
    if project.imported:
        return not_evidenced(f"{ELSEWHERE}: which instructions they read was not seen here.")
    counted = data.list_counted_answers()
    missing = int(counted["instruction_sha256"].isna().sum())
    if missing:
        return unmet(
            f"{count_words(missing, 'answer')} do not say which instructions were read.", "Say so; report this."
        )
    texts = {text.sha256: text.text for text in project.texts if text.kind == "instructions"}
    seen = sorted(set(counted["instruction_sha256"]))
    unknown = [one for one in seen if not texts.get(one)]
    if unknown:
        return unmet(
            f"The text of the version {unknown[0][:12]} is not stored.", "Load the project file with that text again."
        )
    if len(seen) == 1:
        return met(f"One version, {seen[0][:12]}, verbatim in texts/, on all {count_words(len(counted), 'answer')}.")
    without = [version for version in seen if _lacks_version_scores(subject, version)]
    if without:
        return unmet(
            f"{len(seen)} versions; no scores under {', '.join(one[:12] for one in without)}.",
            "Release again; report this.",
        )
    scores = "each with its own scores in human_baseline.csv" if subject.scored else "nobody is scored"
    return met(f"{len(seen)} versions, verbatim in texts/; {scores}.")


def _lacks_version_scores(subject: Subject, version: str) -> bool:
    """Whether a data set whose scores rest on several versions has none under this one, and no reason why."""
    names = []
    for name, data in subject.first_places.items():
        versions = set(data.responses.loc[data.exclusion_kinds().isna(), "instruction_sha256"].dropna())
        if version in versions and len(versions) > 1:
            names.append(name)
    return bool(list_missing(subject, f"{INSTRUCTIONS}{version[:12]}", names))


def check_controls(subject: Subject) -> Verdict:
    """R24: control items, which are never in the score."""
    rows = subject.first.responses
    controls = rows.loc[rows["is_control"].eq(other=True)]
    inside = int(controls["excluded_kind"].isna().sum())
    if inside:
        return unmet(f"{count_words(inside, 'answer')} to control items count.", "Report this.")
    if controls.empty:
        if subject.project.imported:
            return not_evidenced(f"{ELSEWHERE}; no vote is marked as one to a control item.")
        planned = f" The file plans them, though: {subject.project.controls}." if subject.project.controls else ""
        return met(f"No control items were used.{planned}")
    gold = subject.first.control_gold
    known = controls.loc[controls["item_id"].isin(gold) & controls["response"].notna()]
    right = sum(
        subject.first.is_right(str(item), str(answer), gold[str(item)])
        for item, answer in zip(known["item_id"], known["response"], strict=True)
    )
    share = f"; {right} of {len(known)} right" if len(known) else ""
    how = f" ({subject.project.controls})" if subject.project.controls else ""
    return met(
        f"{count_words(controls['item_id'].nunique(), 'control item')}{how},"
        f" {count_words(len(controls), 'answer')}, none in the score{share}; each person's are in annotators.csv."
    )


def check_exclusions(subject: Subject) -> Verdict:
    """R25: every answer that does not count has a reason, and the rules were fixed before."""
    rows, project = subject.first.responses, subject.project
    out = rows.loc[subject.first.exclusion_kinds().notna()]
    reasons = out["excluded_reason"]
    nameless = int((reasons.isna() | (reasons.astype(str).str.strip() == "")).sum())
    if nameless:
        return unmet(f"{count_words(nameless, 'answer')} are excluded without a reason.", "Report this.")
    counts = subject.first.count_excluded()
    words = "; ".join(f"{reason}: {count}" for reason, count in counts.items()) or "nothing is excluded"
    total = f"{len(out)} of {count_words(len(rows), 'answer')} do not count ({words})."
    by_rule = bool(out["by_rule"].eq(other=True).any())
    if project.imported and by_rule:
        return not_evidenced(f"{total} When the rules were made is not known.")
    if sum(counts.values()) != len(out):
        return unmet(f"{total} The counts by reason do not make the total.", "Report this.")
    if not project.imported and not project.rules_fixed_before and (rows["stage"] == "main").any():
        known = "were not" if project.rules_fixed_before is False else "are not known to have been"
        return unmet(
            f"{total} Rules {known} fixed before the first answer.", "Say so; start a new project to fix them."
        )
    later = int(out["post_hoc"].eq(other=True).sum())
    changed = f" Changed after the start: {'; '.join(project.post_hoc)}." if project.post_hoc else ""
    people = f"{count_words(len(subject.first.removed_annotators), 'person')} removed."
    return met(f"{total} {later} by rules of after the start. {people}{changed}")


def check_with_exclusions(subject: Subject) -> Verdict:
    """R26: the results with and without exclusions."""
    if not subject.scored:
        return not_scored(subject)

    def judge(result: DataSetResult) -> Verdict:
        by_rule = result.data.responses["by_rule"].eq(other=True)
        if not bool(by_rule.any()):
            return met("No rule and no organiser excluded an answer.")
        variants = result.list_variants()
        if EXCLUSIONS_KEPT in result.missing_variants:
            return met(f"Without the exclusions there is no score: {result.missing_variants[EXCLUSIONS_KEPT]}")
        if EXCLUSIONS_KEPT not in variants:
            first = result.data.keep_first_places()
            restored = restore_excluded(first)
            if int(restored.exclusion_kinds().isna().sum()) != int(first.exclusion_kinds().isna().sum()):
                return unmet("The score with the exclusions is missing.", "Release again; report this.")
            return met("The answers that rules excluded would not count for another reason either.")
        unit = variants[EXCLUSIONS_KEPT]["individual"]
        far = result.exceeds_half_width(unit, unit.primary)
        note = " It is further off than half the interval." if far else ""
        value = "undefined" if unit.primary.value is None else f"{100 * unit.primary.value:.1f} %"
        return met(f"With what rules excluded: {value}, in human_baseline.csv.{note}")

    return judge_each(subject.scored, judge)


def check_skips(subject: Subject) -> Verdict:
    """R29: skips and abstentions, and how they are scored."""
    data = subject.first
    skips = len(data.list_counted_skips())
    kinds = Counter(str(kind) for kind in data.exclusion_kinds().dropna())
    others = f"{kinds['skipped']} that do not, {kinds['abstained']} abstentions."
    words = f"{count_words(skips, 'skip')} that fill a place, {others}"
    if subject.project.imported:
        return not_evidenced(f"{ELSEWHERE}: whether items could be skipped is not known. {words}")
    concerned = [name for name, data in subject.first_places.items() if len(data.list_counted_skips())]
    missing = list_missing(subject, SKIPS_EXCLUDED, concerned)
    if missing:
        return unmet(f"{words} The score without skips is missing in {', '.join(missing)}.", "Report this.")
    return met(f"{words} {subject.project.skips}")
