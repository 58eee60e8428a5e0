"""What an annotator does next, and what becomes of the answer: next, submit, undo, skip, report."""

from annotation.workflow.assignments.assigned_items import Asked, Offer, Page, asked
from annotation.workflow.assignments.eligibility import Look
from annotation.workflow.assignments.judgement_writer import Saved, stored
from annotation.workflow.assignments.leases import expire
from annotation.workflow.assignments.next_item import look, next_item
from annotation.workflow.assignments.qualification import Decision
from annotation.workflow.assignments.skips_and_reports import Reported, report, skip
from annotation.workflow.assignments.submission import submit
from annotation.workflow.assignments.training_feedback import Feedback
from annotation.workflow.assignments.undo import keep, undo, waiting

__all__ = [
    "Asked", "Decision", "Feedback", "Look", "Offer", "Page", "Reported", "Saved", "asked", "expire", "keep", "look",
    "next_item", "report", "skip", "stored", "submit", "undo", "waiting",
]  # fmt: skip
