"""The facade of the use-cases of an annotator at work, in Telegram and in Label Studio: the only way in from outside.

Get the next item, submit, undo, skip and report it; and the same for the batches of Label Studio.

The edge locks the annotator once in a transaction (`lock_annotator`) and passes on what it gets: to the next item, and
to `open_assignment`, whose result goes to what is done with the item.
"""

from annotation.workflow.assignments.annotator_context import (
    AnnotatorTransaction,
    OpenedAssignment,
    lock_annotator,
    open_assignment,
)
from annotation.workflow.assignments.assigned_items import (
    AssignedItem,
    ShownPage,
    ShownQuestion,
    get_shown_questions,
    renew_lease,
)
from annotation.workflow.assignments.assigned_pictures import find_assigned_picture, get_picture_sizes
from annotation.workflow.assignments.assignment_policy import Journey, RemarkKind
from annotation.workflow.assignments.batches.batch_answers import (
    assign_second_pass,
    skip_batch_item,
    submit_batch_answer,
    withdraw_batch_answer,
)
from annotation.workflow.assignments.batches.batch_assignment import (
    DEFAULT_BATCH_LEASE,
    AssignedBatch,
    NotAssigned,
    assign_batch,
    assign_named_items,
    assign_outside_batch,
    build_item_facts,
    count_batch_items,
    count_second_pass_items,
    expire_batch_items,
    find_named_items,
    find_remote_batch,
    list_long_items,
    list_reported_items,
    move_items,
    move_live_item,
    open_batch_assignment,
    record_shown_revision,
)
from annotation.workflow.assignments.judgement_writer import (
    SavedJudgement,
    TrainingFeedback,
    get_judgement,
    get_stored_answers,
)
from annotation.workflow.assignments.leases import expire_leases
from annotation.workflow.assignments.next_item import Eligibility, assign_next_item, get_eligibility
from annotation.workflow.assignments.offers import Offer, Refusal, list_offers
from annotation.workflow.assignments.own_progress import (
    OwnProgress,
    ProgressState,
    count_left,
    find_finished_before,
    list_own_progress,
)
from annotation.workflow.assignments.qualification import QualificationDecision
from annotation.workflow.assignments.second_pass import ComparedAnswer, SecondPass, get_blind_answers
from annotation.workflow.assignments.skips_and_reports import SavedReport, report_item, skip_item
from annotation.workflow.assignments.submission import submit_judgement
from annotation.workflow.assignments.undo import get_open_item, keep_judgement, undo_judgement

__all__ = [
    "DEFAULT_BATCH_LEASE",
    "AnnotatorTransaction",
    "AssignedBatch",
    "AssignedItem",
    "ComparedAnswer",
    "Eligibility",
    "Journey",
    "NotAssigned",
    "Offer",
    "OpenedAssignment",
    "OwnProgress",
    "ProgressState",
    "QualificationDecision",
    "Refusal",
    "RemarkKind",
    "SavedJudgement",
    "SavedReport",
    "SecondPass",
    "ShownPage",
    "ShownQuestion",
    "TrainingFeedback",
    "assign_batch",
    "assign_named_items",
    "assign_next_item",
    "assign_outside_batch",
    "assign_second_pass",
    "build_item_facts",
    "count_batch_items",
    "count_left",
    "count_second_pass_items",
    "expire_batch_items",
    "expire_leases",
    "find_assigned_picture",
    "find_finished_before",
    "find_named_items",
    "find_remote_batch",
    "get_blind_answers",
    "get_eligibility",
    "get_judgement",
    "get_open_item",
    "get_picture_sizes",
    "get_shown_questions",
    "get_stored_answers",
    "keep_judgement",
    "list_long_items",
    "list_offers",
    "list_own_progress",
    "list_reported_items",
    "lock_annotator",
    "move_items",
    "move_live_item",
    "open_assignment",
    "open_batch_assignment",
    "record_shown_revision",
    "renew_lease",
    "report_item",
    "skip_batch_item",
    "skip_item",
    "submit_batch_answer",
    "submit_judgement",
    "undo_judgement",
    "withdraw_batch_answer",
]
