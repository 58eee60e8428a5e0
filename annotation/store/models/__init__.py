"""The table models of the database.

Rules that must hold although several processes write at once are named constraints: the process that comes second gets
an IntegrityError. Table models do not validate values; campaigns, loading and workflow check them before.
"""

from annotation.store.models.annotators import (
    Annotator,
    AnnotatorRow,
    Attestation,
    Cohort,
    Consent,
    ErasedAnnotator,
    Invitation,
    Participation,
    ParticipationRow,
    Payment,
    ProfileAnswer,
    SupportMessage,
)
from annotation.store.models.assignments import (
    AllocatedAnnotator,
    AllocatedProject,
    Assignment,
    AssignmentRow,
    Exposure,
    GroupAllocation,
    Judgement,
    JudgementRow,
    QueueCursor,
    Report,
    RequeuedItem,
)
from annotation.store.models.campaigns import (
    Item,
    ItemRow,
    Journal,
    Programme,
    ProgrammeProject,
    ProgrammeRow,
    Project,
    ProjectRow,
    ProjectTally,
    TextVersion,
)
from annotation.store.models.delivery import (
    Announcement,
    AnnouncementRecipient,
    AnswerMessage,
    ChatPause,
    Conversation,
    ExportRequest,
    Heartbeat,
    Inbox,
    Incident,
    ItemMessage,
    NoticeWish,
    OrganiserNotice,
    Outbox,
    ProcessLease,
    ToldGroup,
)
from annotation.store.models.label_studio import (
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
)
from annotation.store.models.reviews import Adjudication, AdjudicationCase, Adjudicator, GoldReview, SubmissionReview
from annotation.store.table_base import RowTable, metadata

__all__ = [
    "ANNOTATORS",
    "ASSIGNMENTS",
    "ITEMS",
    "JUDGEMENTS",
    "PARTICIPATIONS",
    "PROGRAMMES",
    "PROJECTS",
    "Adjudication",
    "AdjudicationCase",
    "Adjudicator",
    "AllocatedAnnotator",
    "AllocatedProject",
    "Annotator",
    "AnnotatorRow",
    "Announcement",
    "AnnouncementRecipient",
    "AnswerMessage",
    "Assignment",
    "AssignmentRow",
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
    "ItemRow",
    "Journal",
    "Judgement",
    "JudgementRow",
    "LabelStudioAccount",
    "LabelStudioBatch",
    "LabelStudioReviewTask",
    "LabelStudioSetAside",
    "LabelStudioTask",
    "NoticeWish",
    "OrganiserNotice",
    "Outbox",
    "Participation",
    "ParticipationRow",
    "Payment",
    "ProcessLease",
    "ProfileAnswer",
    "Programme",
    "ProgrammeProject",
    "ProgrammeRow",
    "Project",
    "ProjectRow",
    "ProjectTally",
    "QueueCursor",
    "Report",
    "RequeuedItem",
    "SubmissionReview",
    "SupportMessage",
    "TextVersion",
    "ToldGroup",
    "metadata",
]

ANNOTATORS = RowTable(AnnotatorRow, Annotator)
PARTICIPATIONS = RowTable(ParticipationRow, Participation)
PROJECTS = RowTable(ProjectRow, Project)
PROGRAMMES = RowTable(ProgrammeRow, Programme)
ITEMS = RowTable(ItemRow, Item)
ASSIGNMENTS = RowTable(AssignmentRow, Assignment)
JUDGEMENTS = RowTable(JudgementRow, Judgement)
