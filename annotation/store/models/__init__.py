"""Tables. Invariants live here as named constraints; a race is settled by an IntegrityError, not by a check before it.

Table models do not validate: values are checked where they enter (campaigns, loading, workflow).
"""

from annotation.store.models.annotators import (
    Annotator,
    Attestation,
    Cohort,
    Consent,
    Invitation,
    Message,
    Participation,
    Payment,
    ProfileAnswer,
)
from annotation.store.models.assignments import (
    Allotment,
    AllottedPerson,
    AllottedProject,
    Assignment,
    Exposure,
    Judgement,
    Reopened,
    Report,
    Walk,
)
from annotation.store.models.base import metadata
from annotation.store.models.campaigns import Item, Programme, ProgrammeProject, Project, Wording
from annotation.store.models.delivery import Inbox, Lease, Outbox, Screen, Talk
from annotation.store.models.events import Journal
from annotation.store.models.label_studio import Desk, DeskAside, DeskTask, DeskUser

__all__ = [
    "Allotment",
    "AllottedPerson",
    "AllottedProject",
    "Annotator",
    "Assignment",
    "Attestation",
    "Cohort",
    "Consent",
    "Desk",
    "DeskAside",
    "DeskTask",
    "DeskUser",
    "Exposure",
    "Inbox",
    "Invitation",
    "Item",
    "Journal",
    "Judgement",
    "Lease",
    "Message",
    "Outbox",
    "Participation",
    "Payment",
    "ProfileAnswer",
    "Programme",
    "ProgrammeProject",
    "Project",
    "Reopened",
    "Report",
    "Screen",
    "Talk",
    "Walk",
    "Wording",
    "metadata",
]
