"""The tables. Invariants are named constraints: a race ends in an IntegrityError, not in a check before the insert.

Table models do not validate: values are checked where they enter (campaigns, loading, workflow).
"""

from annotation.store.models.annotators import (
    Annotator,
    Attestation,
    Cohort,
    Consent,
    Invitation,
    Participation,
    Payment,
    ProfileAnswer,
    SupportMessage,
)
from annotation.store.models.assignments import (
    AllocatedAnnotator,
    AllocatedProject,
    Assignment,
    Exposure,
    GroupAllocation,
    Judgement,
    QueueCursor,
    Report,
    RequeuedItem,
)
from annotation.store.models.campaigns import Item, Journal, Programme, ProgrammeProject, Project, TextVersion
from annotation.store.models.delivery import Conversation, Inbox, ItemMessage, Outbox, ProcessLease
from annotation.store.models.label_studio import (
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioSetAside,
    LabelStudioTask,
)
from annotation.store.models.table_model import metadata

__all__ = [
    "AllocatedAnnotator",
    "AllocatedProject",
    "Annotator",
    "Assignment",
    "Attestation",
    "Cohort",
    "Consent",
    "Conversation",
    "Exposure",
    "GroupAllocation",
    "Inbox",
    "Invitation",
    "Item",
    "ItemMessage",
    "Journal",
    "Judgement",
    "LabelStudioAccount",
    "LabelStudioBatch",
    "LabelStudioSetAside",
    "LabelStudioTask",
    "Outbox",
    "Participation",
    "Payment",
    "ProcessLease",
    "ProfileAnswer",
    "Programme",
    "ProgrammeProject",
    "Project",
    "QueueCursor",
    "Report",
    "RequeuedItem",
    "SupportMessage",
    "TextVersion",
    "metadata",
]
