"""Whether the scores that count answers otherwise stand beside the headline, wherever they differ from it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from exports.checklist.verdicts import Subject, Verdict, met, unmet
from exports.inputs import DataSet
from exports.pages.reasons import translate_reasons
from exports.pages.translation import translate

Concerns = Callable[[DataSet], "pd.Series[bool]"]
"""Which responses of a data set a variant is about."""


def list_concerned(subject: Subject, concerns: Concerns) -> list[str]:
    """The scored data sets in which a variant differs from the headline, as scores rest on such responses there."""
    return [name for name, data in subject.first_places.items() if bool(concerns(data).any())]


def list_missing(subject: Subject, variant: str, names: list[str]) -> list[str]:
    """Those of the data sets that have neither the scores of a variant nor the reason why there are none."""
    return [
        result.data.name
        for result in subject.scored
        if result.data.name in names and variant not in (*result.list_variants(), *result.missing_variants)
    ]


def check_variant(subject: Subject, variant: str, *, found: str, what: str, concerns: Concerns) -> Verdict:
    """That the scores of a variant stand beside the headline, or the reason why they cannot or need not."""
    if not subject.scored:
        return met(translate("{found}; nobody is scored, so there is no {what}.", found=found, what=what))
    names = list_concerned(subject, concerns)
    missing = list_missing(subject, variant, names)
    if missing:
        return unmet(
            translate("{found}; their {what} is missing in {names}.", found=found, what=what, names=", ".join(missing)),
            translate("Release again; report this."),
        )
    if not names:
        return met(
            translate("{found}; no score rests on their answers, so there is no {what}.", found=found, what=what)
        )
    reasons = dict.fromkeys(
        result.missing_variants[variant] for result in subject.scored if variant in result.missing_variants
    )
    if reasons:
        return met(
            translate(
                "{found}; there is no {what}: {reasons}",
                found=found,
                what=what,
                reasons=translate_reasons(list(reasons)),
            )
        )
    return met(
        translate(
            "{found}; the {what} stands in human_baseline.csv as “{variant}”.", found=found, what=what, variant=variant
        )
    )
