"""The facade of the use-cases of an annotator at work, in Telegram and in Label Studio: the only way in from outside.

Get the next item, submit, undo, skip and report it; and the same for the batches of Label Studio.
"""

from annotation.workflow.assignments.assigned_items import AssignedItem, ShownPage, ShownQuestion, get_shown_questions
from annotation.workflow.assignments.batches.batch_answers import (
    skip_batch_item,
    submit_batch_answer,
    withdraw_batch_answer,
)
from annotation.workflow.assignments.batches.batch_assignment import (
    DEFAULT_BATCH_LEASE,
    SECOND_PASS_OCCASION,
    AssignedBatch,
    assign_batch,
    assign_outside_batch,
    count_batch_items,
    count_second_pass_items,
)
from annotation.workflow.assignments.batches.moved_items import list_long_items, list_reported_items, move_items
from annotation.workflow.assignments.batches.second_pass import assign_second_pass, list_second_pass_candidates
from annotation.workflow.assignments.judgement_writer import (
    SavedJudgement,
    TrainingFeedback,
    get_judgement,
    is_answered,
)
from annotation.workflow.assignments.leases import expire_leases
from annotation.workflow.assignments.next_item import Eligibility, assign_next_item, get_eligibility
from annotation.workflow.assignments.qualification import QualificationDecision
from annotation.workflow.assignments.skips_and_reports import SavedReport, report_item, skip_item
from annotation.workflow.assignments.submission import submit_judgement
from annotation.workflow.assignments.undo import get_open_item, keep_judgement, undo_judgement

__all__ = [
    "DEFAULT_BATCH_LEASE",
    "SECOND_PASS_OCCASION",
    "AssignedBatch",
    "AssignedItem",
    "Eligibility",
    "QualificationDecision",
    "SavedJudgement",
    "SavedReport",
    "ShownPage",
    "ShownQuestion",
    "TrainingFeedback",
    "assign_batch",
    "assign_next_item",
    "assign_outside_batch",
    "assign_second_pass",
    "count_batch_items",
    "count_second_pass_items",
    "expire_leases",
    "get_eligibility",
    "get_judgement",
    "get_open_item",
    "get_shown_questions",
    "is_answered",
    "keep_judgement",
    "list_long_items",
    "list_reported_items",
    "list_second_pass_candidates",
    "move_items",
    "report_item",
    "skip_batch_item",
    "skip_item",
    "submit_batch_answer",
    "submit_judgement",
    "undo_judgement",
    "withdraw_batch_answer",
]
