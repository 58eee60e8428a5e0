"""The checks of lines on people who knew the items: the team, and those who had met them before."""

from __future__ import annotations

import pandas as pd

from exports.checklist.variant_checks import check_variant
from exports.checklist.verdicts import (
    Subject,
    Verdict,
    met,
    not_applicable,
    not_seen,
    unmet,
)
from exports.inputs import EXPOSED, DataSet
from exports.pages.display_text import format_count
from exports.pages.translation import translate
from exports.score_variants import EXPOSED_ONLY, WITHOUT_INSIDERS


def check_insiders(subject: Subject) -> Verdict:
    """R13: members of the team among the people, and the score without them."""
    if subject.project.imported:
        return not_seen(translate("whether authors were among them is not known here."))
    counted = subject.first.list_counted_answers()
    unknown = counted.loc[counted["insider"].isna(), "annotator"].nunique()
    if unknown:
        return unmet(
            translate(
                "Of {people} it is not known whether they belong to the team.", people=format_count(unknown, "person")
            ),
            translate("Mark members of the team: `hromada people team-member`."),
        )
    insiders = counted.loc[counted["insider"].eq(other=True), "annotator"].nunique()
    if not insiders:
        return met(translate("Nobody who answered is marked as a member of the team."))
    return check_variant(
        subject,
        WITHOUT_INSIDERS,
        found=translate("{members} answered", members=format_count(insiders, "member of the team")),
        what=translate("score without them"),
        concerns=lambda data: data.exclusion_kinds().isna() & data.responses["insider"].eq(other=True),
    )


def check_exposure(subject: Subject) -> Verdict:
    """R14: nobody had met the item, or another one of its group, before."""
    project = subject.project
    if project.imported:
        return not_seen(translate("what they had met before is not known here."))
    if project.kind != "baseline":
        return not_applicable(translate("It is no baseline: people may meet a group again."))
    if project.n_unlisted_exposed is None:
        return unmet(
            translate("Whether people had met the items before was not counted."),
            translate("Release again; report this."),
        )
    if project.n_unlisted_exposed:
        return unmet(
            translate(
                "{answers} came from people who had met the group before.",
                answers=format_count(project.n_unlisted_exposed, "main answer"),
            ),
            translate("List the other project under `exposure.exceptions`, so that they are scored apart."),
        )
    return _judge_exposed(subject)


def _judge_exposed(subject: Subject) -> Verdict:
    """That no exposed answer counts, and that those of listed projects are scored apart."""
    project = subject.project
    is_exposed = subject.first.responses["exposed"].eq(other=True)
    inside = int((is_exposed & subject.first.exclusion_kinds().isna()).sum())
    if inside:
        return unmet(
            translate("{answers} count in the score.", answers=format_count(inside, "exposed answer")),
            translate("Report this."),
        )
    exposed = int(is_exposed.sum())
    if not project.exceptions:
        return met(translate("No main answer that counts came from somebody who had met its group in another project."))
    listed = translate(
        "Listed exceptions: {projects}; {answers}, scored apart",
        projects=", ".join(project.exceptions),
        answers=format_count(exposed, "exposed answer"),
    )
    if not exposed:
        return met(f"{listed}.")
    return check_variant(
        subject, EXPOSED_ONLY, found=listed, what=translate("score of those answers"), concerns=_find_exposed
    )


def _find_exposed(data: DataSet) -> pd.Series[bool]:
    """The answers and skips that do not count for their exposure alone."""
    rows = data.responses
    return (data.exclusion_kinds() == EXPOSED) & (rows["response"].notna() | rows["skip_reason"].notna())
