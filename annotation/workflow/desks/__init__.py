"""Work at a desk: batches with a lease of their own, their answers, changes and deletions, second passes, hand-over."""

from annotation.workflow.desks.answers import answer, skip, take_back
from annotation.workflow.desks.batches import LEASE, SECOND, Batch, borrow, hand_out, in_hand, second_in_hand
from annotation.workflow.desks.handing_over import hand_over, reported, too_long
from annotation.workflow.desks.second_pass import open_second, waiting_for_second

__all__ = [
    "LEASE", "SECOND", "Batch", "answer", "borrow", "hand_out", "hand_over", "in_hand", "open_second", "reported",
    "second_in_hand", "skip", "take_back", "too_long", "waiting_for_second",
]  # fmt: skip
