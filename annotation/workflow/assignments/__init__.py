"""The use-cases of an annotator at work: get the next item, submit, undo, skip and report it.

The edge locks the annotator once in a transaction (`lock_annotator`) and passes on what it gets: to the next item, and
to `open_assignment`, whose result goes to what is done with the item.
"""

from annotation.workflow.assignments.annotator_context import (
    AnnotatorTransaction,
    OpenedAssignment,
    lock_annotator,
    open_assignment,
)
from annotation.workflow.assignments.assigned_items import AssignedItem, ShownPage, ShownQuestion, get_shown_questions
from annotation.workflow.assignments.judgement_writer import SavedJudgement, TrainingFeedback, get_judgement
from annotation.workflow.assignments.leases import expire_leases
from annotation.workflow.assignments.next_item import Eligibility, assign_next_item, get_eligibility
from annotation.workflow.assignments.qualification import QualificationDecision
from annotation.workflow.assignments.skips_and_reports import SavedReport, report_item, skip_item
from annotation.workflow.assignments.submission import submit_judgement
from annotation.workflow.assignments.undo import get_open_item, keep_judgement, undo_judgement

__all__ = [
    "AnnotatorTransaction",
    "AssignedItem",
    "Eligibility",
    "OpenedAssignment",
    "QualificationDecision",
    "SavedJudgement",
    "SavedReport",
    "ShownPage",
    "ShownQuestion",
    "TrainingFeedback",
    "assign_next_item",
    "expire_leases",
    "get_eligibility",
    "get_judgement",
    "get_open_item",
    "get_shown_questions",
    "keep_judgement",
    "lock_annotator",
    "open_assignment",
    "report_item",
    "skip_item",
    "submit_judgement",
    "undo_judgement",
]  # fmt: skip
