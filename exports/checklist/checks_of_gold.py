"""The checks of lines on gold: where it comes from, and what can be reached where some of it is wrong."""

from __future__ import annotations

from exports.checklist.verdicts import Subject, Verdict, judge_each, met, not_evidenced, not_scored, unmet
from exports.pages.display_text import format_count, format_percent
from exports.pages.reasons import translate_reason
from exports.pages.translation import localize_number, translate
from exports.results import DataSetResult

UNKNOWN_ORIGINS = (None, "declared")


def check_gold(subject: Subject) -> Verdict:
    """R38: where gold comes from, and that nobody is scored against their own votes."""

    def judge(result: DataSetResult) -> Verdict:
        items = result.data.items.loc[result.data.items["gold"].notna()]
        if items.empty:
            return met(translate("No gold is declared: gold.csv is the consensus of the votes, with its confidence."))
        if result.data.has_circular_gold and result.with_others is None:
            return unmet(
                translate("Gold was made of these votes, and nobody is held against the others."),
                translate("Report this."),
            )
        unknown = int(items["gold_origin"].isin([one for one in UNKNOWN_ORIGINS if one]).sum())
        unknown += int(items["gold_origin"].isna().sum())
        if unknown:
            words = translate("Where the gold of {items} comes from is not said.", items=format_count(unknown, "item"))
            remedy = translate(
                "Write `gold_origin: construction`, or expert, beside `gold`, and load the file again with `--yes`."
            )
            return not_evidenced(words, remedy) if subject.project.imported else unmet(words, remedy)
        origins = items["gold_origin"].value_counts().sort_index()
        words = ", ".join(f"{translate_reason(str(origin))} {count}" for origin, count in origins.items())
        circular = (
            translate(" Votes that made gold are held against those of the others.")
            if result.data.has_circular_gold
            else ""
        )
        return met(translate("Origin on each row of gold.csv: {words}.{circular}", words=words, circular=circular))

    return judge_each(subject.results, judge)


def check_ceiling(subject: Subject) -> Verdict:
    """R39: how much of the gold is wrong, and what can be reached at most."""
    if not subject.scored:
        return not_scored(subject)

    def judge(result: DataSetResult) -> Verdict:
        found = result.ceiling
        remedy = translate(
            "Review the conflicts and a sample: `hromada people add-reviewer NAME` gives a pseudonym, then"
            " `hromada adjudicate {project} --gold-review --as PSEUDONYM`.",
            project=subject.project.name,
        )
        if found is None:
            return unmet(translate("The gold was not reviewed."), remedy)
        if found.ceiling.value is None:
            return unmet(
                translate("The review gives no estimate: {reason}", reason=translate_reason(found.reason)), remedy
            )
        low, high = found.ceiling.low, found.ceiling.high
        interval = "" if low is None or high is None else localize_number(f" [{100 * low:.1f}–{100 * high:.1f}]")
        return met(
            translate(
                "The gold was reviewed: ceiling {value}{interval}.",
                value=format_percent(found.ceiling.value),
                interval=interval,
            )
        )

    return judge_each(subject.scored, judge)
