"""Minimum time: a rule about one answer, or about a page of them."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.campaigns.rules import SecondsRule
from annotation.workflow.quality.breaches import Breach, Scope, in_words


def seconds(rule: SecondsRule, spent: Sequence[float | None], *, items: int = 1) -> Breach | None:
    """Whether `spent` on `items` items together is too little; unknown times and pages that are not full judge nobody.

    The time of an item goes from when it was shown to the last correction: who mends a slip in a second was not hasty.
    """
    known = [one for one in spent if one is not None]
    if len(known) < len(spent) or len(known) != items or sum(known) >= rule.least:
        return None
    scope = Scope.PAGE if rule.per == "page" else Scope.ANSWER
    return Breach(words=in_words(rule), scope=scope, consequence=rule.consequence)
