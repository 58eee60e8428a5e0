"""The rules that keep answers good, judged from what one person did herself: never from what others answered.

Pure: facts in, breaches out. What follows from a breach is `annotation/workflow/quality/enforcement.py`'s to do.
"""

from annotation.workflow.quality.breaches import Breach, Rule, Scope, in_words, rules_digest
from annotation.workflow.quality.controls import control
from annotation.workflow.quality.lines import place, straight_lining
from annotation.workflow.quality.marking import all_right, closed, marks
from annotation.workflow.quality.pace import seconds
from annotation.workflow.quality.texts import text

__all__ = [
    "Breach", "Rule", "Scope", "all_right", "closed", "control", "in_words", "marks", "place", "rules_digest",
    "seconds", "straight_lining", "text",
]  # fmt: skip
