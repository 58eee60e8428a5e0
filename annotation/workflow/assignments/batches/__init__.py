"""Work at a desk: batches with a lease of their own, their answers, changes and deletions, second passes, hand-over."""

from annotation.workflow.assignments.batches.batch_answers import answer, skip, take_back
from annotation.workflow.assignments.batches.batch_assignment import (
    LEASE,
    SECOND,
    Batch,
    borrow,
    hand_out,
    in_hand,
    second_in_hand,
)
from annotation.workflow.assignments.batches.handover import hand_over, reported, too_long
from annotation.workflow.assignments.batches.second_pass import open_second, waiting_for_second

__all__ = [
    "LEASE", "SECOND", "Batch", "answer", "borrow", "hand_out", "hand_over", "in_hand", "open_second", "reported",
    "second_in_hand", "skip", "take_back", "too_long", "waiting_for_second",
]  # fmt: skip
