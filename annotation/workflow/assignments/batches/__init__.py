"""Label Studio batches: assignment, answers, changes and deletions, second passes, and items moved from Telegram."""

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
    open_batch_assignment,
)
from annotation.workflow.assignments.batches.moved_items import list_long_items, list_reported_items, move_items
from annotation.workflow.assignments.batches.second_pass import assign_second_pass, list_second_pass_candidates

__all__ = [
    "DEFAULT_BATCH_LEASE", "SECOND_PASS_OCCASION", "AssignedBatch", "assign_batch", "assign_outside_batch",
    "assign_second_pass", "count_batch_items", "count_second_pass_items", "list_long_items", "list_reported_items",
    "list_second_pass_candidates", "move_items", "open_batch_assignment", "skip_batch_item",
    "submit_batch_answer", "withdraw_batch_answer",
]  # fmt: skip
