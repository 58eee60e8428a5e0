"""The table models of the database.

Rules that must hold although several processes write at once are named constraints: the process that comes second gets
an IntegrityError. Table models do not validate values; campaigns, loading and workflow check them before.
"""

from annotation.store.models.annotators import (
    Annotator,
    Attestation,
    Cohort,
    Consent,
    ErasedAnnotator,
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
from annotation.store.models.campaigns import (
    Item,
    Journal,
    Programme,
    ProgrammeProject,
    Project,
    ProjectTally,
    TextVersion,
)
from annotation.store.models.delivery import (
    AnswerMessage,
    ChatPause,
    Conversation,
    Inbox,
    ItemMessage,
    Outbox,
    ProcessLease,
)
from annotation.store.models.label_studio import (
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
)
from annotation.store.models.notices import (
    Announcement,
    AnnouncementRecipient,
    ExportRequest,
    Heartbeat,
    Incident,
    NoticeWish,
    OrganiserNotice,
)
from annotation.store.models.reviews import Adjudication, AdjudicationCase, Adjudicator, GoldReview, SubmissionReview
from annotation.store.models.table_model import metadata

__all__ = [
    "Adjudication",
    "AdjudicationCase",
    "Adjudicator",
    "AllocatedAnnotator",
    "AllocatedProject",
    "Annotator",
    "Announcement",
    "AnnouncementRecipient",
    "AnswerMessage",
    "Assignment",
    "Attestation",
    "ChatPause",
    "Cohort",
    "Consent",
    "Conversation",
    "ErasedAnnotator",
    "ExportRequest",
    "Exposure",
    "GoldReview",
    "GroupAllocation",
    "Heartbeat",
    "Inbox",
    "Incident",
    "Invitation",
    "Item",
    "ItemMessage",
    "Journal",
    "Judgement",
    "LabelStudioAccount",
    "LabelStudioBatch",
    "LabelStudioReviewTask",
    "LabelStudioSetAside",
    "LabelStudioTask",
    "NoticeWish",
    "OrganiserNotice",
    "Outbox",
    "Participation",
    "Payment",
    "ProcessLease",
    "ProfileAnswer",
    "Programme",
    "ProgrammeProject",
    "Project",
    "ProjectTally",
    "QueueCursor",
    "Report",
    "RequeuedItem",
    "SubmissionReview",
    "SupportMessage",
    "TextVersion",
    "metadata",
]
