"""Control accuracy: a rule about a person, judged from items whose gold is known."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.campaigns.rules import ControlRule
from annotation.workflow.quality.breaches import Breach, Scope, in_words


def control(rule: ControlRule, results: Sequence[bool]) -> Breach | None:
    """Whether somebody with these results, oldest first, falls under the rule.

    `min_controls` is how many results there must be at all, `window` how many of the last are counted.
    """
    counted = results if rule.window is None else results[-rule.window :]
    if len(results) < rule.min_controls or not rule.accuracy.meets(sum(counted), len(counted)):
        return None
    return Breach(words=in_words(rule), scope=Scope.PERSON, consequence=rule.consequence)
