"""What an annotator does next, and what becomes of the answer: next, submit, undo, skip, report."""

from annotation.workflow.work.answers import submit
from annotation.workflow.work.feedback import Feedback
from annotation.workflow.work.leases import expire
from annotation.workflow.work.looking import Look
from annotation.workflow.work.next import look, next_item
from annotation.workflow.work.offers import Asked, Offer, Page, asked
from annotation.workflow.work.passing import Reported, report, skip
from annotation.workflow.work.qualifying import Decision
from annotation.workflow.work.records import Saved, stored
from annotation.workflow.work.undoing import keep, undo, waiting

__all__ = [
    "Asked", "Decision", "Feedback", "Look", "Offer", "Page", "Reported", "Saved", "asked", "expire", "keep", "look",
    "next_item", "report", "skip", "stored", "submit", "undo", "waiting",
]  # fmt: skip
