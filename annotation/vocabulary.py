"""The values stored in the database: each enumeration is a text column with a named check constraint."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from aggregation.findings import Finding

FIRST_PAGE_ID = 2**52
"""People who answer on the answer page without Telegram have ids from this number on; Telegram's own are below it."""


class ExclusionKind(StrEnum):
    """Why an answer does not count, as programs read it; the words that stand beside it are for people.

    The first six follow from the assignment of an answer, and `NO_ANSWER` from an empty one: they are stored only for
    imported answers, and worked out for all others (`annotation/store/judgements`).
    """

    PILOT = "pilot item"
    TRAINING = "training item"
    QUALIFICATION = "qualification item"
    CONTROL = "control item"
    REPEAT = "repeat"
    EXPOSED = "exposed"
    NO_ANSWER = "no answer"
    ABSTAINED = "abstained"
    SKIPPED = "skipped"
    EXTRA = "extra"
    SEVERAL_TEXTS = "several texts"
    ITEM_CHANGED = "item changed"
    DELETED = "deleted"
    EARLIER = "earlier"
    SECOND_PASS = "second pass"  # noqa: S105  # no password, a pass over the items
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    LEFT_OUT = "left out"
    NOT_ACCEPTED = "not accepted"
    REJECTED = "rejected"
    RULE = "rule"
    ORGANISER = "organiser"

    @property
    def is_by_rule(self) -> bool:
        """Whether a quality rule or an organiser excluded the answer, here or where imported answers come from."""
        return self in {ExclusionKind.RULE, ExclusionKind.ORGANISER, ExclusionKind.REJECTED}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why an answer does not count: the kind, and the reason: a finding, or the words of an organiser."""

    kind: ExclusionKind
    reason: str


ABSTAINED = Exclusion(ExclusionKind.ABSTAINED, Finding("abstained"))
"""Of an abstention: it fills the overlap, but is not counted."""

CONTROL_ITEM = Exclusion(ExclusionKind.CONTROL, Finding("control-item"))
"""Of an imported answer to a control item."""

NO_ANSWER = Exclusion(ExclusionKind.NO_ANSWER, Finding("no-answer"))
"""Of an imported answer that is empty."""

SEVERAL_TEXTS = Exclusion(ExclusionKind.SEVERAL_TEXTS, Finding("several-texts"))
"""Of an imported answer with several texts where one was asked for."""

EXTRA = Exclusion(ExclusionKind.EXTRA, Finding("extra"))
"""Of an answer that arrived after the overlap of its item was full."""

EARLIER = Exclusion(ExclusionKind.EARLIER, Finding("earlier"))
"""Of a vote from elsewhere in a project that asks people itself: it is kept apart."""

SAME_PERSON = Exclusion(ExclusionKind.REPEAT, Finding("same-person"))
"""Of the later of two answers to an item that one person gave with two accounts, which were united since."""

SKIPPED = Exclusion(ExclusionKind.SKIPPED, Finding("skipped"))
"""Of a skip whose place returned to the queue."""

REJECTED_BY_ANNOTATOR = Exclusion(ExclusionKind.SKIPPED, Finding("rejected-by-annotator"))
"""Of an imported answer whose annotator rejected the item, where the tool tells that from a skip."""

DRAFT = Exclusion(ExclusionKind.LEFT_OUT, Finding("draft"))
"""Of an answer that its annotator did not submit."""

PREDICTION = Exclusion(ExclusionKind.LEFT_OUT, Finding("prediction"))
"""Of an answer of a model that a tool showed to annotators."""

TAINTED_JUDGEMENT = Exclusion(ExclusionKind.REJECTED, Finding("tainted"))
"""Of an imported answer of an annotator who failed the test questions of its platform."""

NO_SUBMISSION = Exclusion(ExclusionKind.NOT_ACCEPTED, Finding("no-submission"))
"""Of an imported answer of somebody whom the platform's list of submissions does not have."""

DELETED_IN_LABEL_STUDIO = Exclusion(ExclusionKind.DELETED, Finding("deleted"))
"""Of an answer that the annotator deleted in Label Studio."""

UNSAID_TIME_ZONE = "UTC"
"""The time zone of annotators who would rather not tell theirs."""

SECOND_PASS_OCCASION = -1
"""The `occasion` of assignments in the second pass; first assignments have occasion 0, repeats 1 and more."""

SECOND_PASS = Exclusion(ExclusionKind.SECOND_PASS, Finding("second-pass"))
"""Of an answer of the second pass, given after the gold was shown."""


def build_item_change(revision: int) -> Exclusion:
    """The exclusion of an answer to an item as it was before a substantive fix made it this revision."""
    return Exclusion(ExclusionKind.ITEM_CHANGED, Finding("item-changed", revision=revision))


class Requirement(StrEnum):
    """What a project asks of an annotator before the first item, and they may decline."""

    CONSENT = "consent"
    PROFILE = "profile"
    WARNING = "warning"


class Stage(StrEnum):
    """The stages of a campaign."""

    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"
    MAIN = "main"


class Pool(StrEnum):
    """The purpose of an item: it belongs to a stage, is a control item hidden among the main ones, or an example.

    Nobody is asked an item of the few-shot pool: models see it, with its gold, before an item of a benchmark.
    """

    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"
    CONTROL = "control"
    FEW_SHOT = "few-shot"
    MAIN = "main"

    @property
    def stage(self) -> Stage:
        """The stage in which its items are shown."""
        return _STAGES[self]

    @property
    def exclusion(self) -> Exclusion:
        """The exclusion of imported answers to its items; there is none for the main pool."""
        kind = ExclusionKind.LEFT_OUT if self is Pool.FEW_SHOT else ExclusionKind(f"{self.value} item")
        return Exclusion(kind, Finding(f"{self.value}-item"))


_STAGES = {pool: Stage(pool.value) if pool.value in {*Stage} else Stage.MAIN for pool in Pool}

POOLS_WITH_OVERLAP = (Pool.MAIN, Pool.PILOT)
"""Pools whose items have a limited overlap; the items of the others may be shown to every annotator."""


class Surface(StrEnum):
    """Where an assignment was answered."""

    TELEGRAM = "telegram"
    IMPORT = "import"
    LABEL_STUDIO = "label studio"


class AssignmentStatus(StrEnum):
    """An assignment is live until it is answered or skipped, its lease expires, or the annotator withdraws.

    Withdrawn ones are closed for good, answered or not: also the second of two that one person had with two accounts.
    """

    LIVE = "live"
    DONE = "done"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class AssignmentEnd(StrEnum):
    """Why a live assignment ended without an answer."""

    EXPIRED = "expired"
    RELEASED = "released"
    MOVED = "moved"
    PAUSED = "paused"
    BARRED = "barred"
    WITHDRAWN = "withdrawn"
    ITEM_CHANGED = "item changed"
    PROJECT_CLOSED = "project closed"


class ProjectStatus(StrEnum):
    """The life of a project; only a running one assigns items."""

    LOADED = "loaded"
    RUNNING = "running"
    PAUSED = "paused"
    CLOSED = "closed"


class ItemStatus(StrEnum):
    """An open item is assigned; a paused one waits for an organiser; a retired one is no longer used."""

    OPEN = "open"
    PAUSED = "paused"
    RETIRED = "retired"


class ParticipationStatus(StrEnum):
    """The status of an annotator in a project."""

    ACTIVE = "active"
    FAILED = "failed"
    PAUSED = "paused"
    EXCLUDED = "excluded"
    WITHDRAWN = "withdrawn"


class UnassignedReason(StrEnum):
    """Why an annotator gets no item at the moment."""

    CONSENT = "consent"
    PROFILE = "profile"
    WARNING = "warning"
    NOT_ADMITTED = "not admitted"
    NOT_RUNNING = "not running"
    SUSPENDED = "suspended"
    PAUSED = "paused"
    EXCLUDED = "excluded"
    FAILED = "failed"
    COOL_DOWN = "cool-down"
    WITHDRAWN = "withdrawn"
    CAP = "cap"
    QUOTA = "quota"
    NOTHING_LEFT = "nothing left"
    SEARCHING = "searching"


class ExposureCause(StrEnum):
    """How an annotator was exposed to a group of items."""

    ANSWERED = "answered"
    CONTROL = "control"
    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"


class UnknownDuration(StrEnum):
    """Why it is not known how long an answer took."""

    BEFORE_SHOWN = "answered before it was shown"
    CLOCK_CHANGED = "the clock was set meanwhile"
    IMPOSSIBLE = "no possible duration"


class TextKind(StrEnum):
    """The kinds of project texts of which every version is kept, by its hash."""

    INSTRUCTIONS = "instructions"
    CONSENT = "consent"
    WARNING = "warning"


class Event(StrEnum):
    """The events that the journal records."""

    KEY_MADE = "key made"
    CLOCK_CHANGED = "clock changed"
    PROJECT_LOADED = "project loaded"
    PROJECT_CHANGED = "project changed"
    PROJECT_STARTED = "project started"
    PROJECT_PAUSED = "project paused"
    PROJECT_RESUMED = "project resumed"
    PROJECT_EXTENDED = "project extended"
    PROJECT_CLOSED = "project closed"
    PROJECT_REOPENED = "project reopened"
    PROGRAMME_LOADED = "programme loaded"
    PROGRAMME_CHANGED = "programme changed"
    GROUPS_ALLOCATED = "groups allotted"
    ITEM_FIXED = "item fixed"
    VOTES_IMPORTED = "votes imported"
    ANNOTATOR_JOINED = "annotator joined"
    QUALIFICATION_PASSED = "qualification passed"
    QUALIFICATION_FAILED = "qualification failed"
    ITEM_PAUSED = "item paused"
    ITEMS_MOVED = "items handed over"
    ASSIGNMENTS_ENDED = "assignments ended"
    ASSIGNED_AGAIN = "assigned again"
    TASK_DELETED = "task deleted"
    REPORTS_DISMISSED = "reports dismissed"
    GOLD_SHOWN = "gold shown"
    UNBLINDED = "unblinded"
    INVITATION_MADE = "invitation made"
    INVITATION_LIMITED = "invitation limited"
    INVITATION_REDEEMED = "invitation redeemed"
    CONSENT_GIVEN = "consent given"
    CONSENT_WITHDRAWN = "consent withdrawn"
    WARNING_ACCEPTED = "warning accepted"
    DECLINED = "declined"
    SUSPENDED = "suspended"
    UNSUSPENDED = "unsuspended"
    TEAM_MEMBER_CHANGED = "insider changed"
    PAID = "paid"
    ANNOTATOR_WITHDREW = "person withdrew"
    ANNOTATOR_FORGOTTEN = "person forgotten"
    PEOPLE_DETACHED = "people detached"
    ACCOUNTS_UNITED = "accounts united"
    ANNOTATOR_UNREACHABLE = "person unreachable"
    QUALITY_FLAGGED = "quality flagged"
    ANNOTATOR_PAUSED = "person paused"
    ANNOTATOR_EXCLUDED = "person excluded"
    ANNOTATOR_READMITTED = "person readmitted"
    ANSWERS_EXCLUDED = "answers excluded"
    ANSWERS_REINSTATED = "answers reinstated"
    ANNOUNCED = "announced"
    ANNOUNCEMENT_CANCELLED = "announcement cancelled"
    ORGANISER_ACTED = "organiser acted"


class RepeatPolicy(StrEnum):
    """Which of several imported votes of one annotator on one item count."""

    FIRST = "first"
    LAST = "last"
    ALL = "all"


class GoldOrigin(StrEnum):
    """The origin of a gold label.

    It was built into the item, given by an expert, made from votes, decided by an expert where votes disagreed
    (adjudication), or only declared in the file of items.
    """

    CONSTRUCTION = "construction"
    EXPERT = "expert"
    VOTES = "votes"
    ADJUDICATION = "adjudication"
    DECLARED = "declared"


Duration = tuple[float | None, UnknownDuration | None]
"""Seconds and why they are not known: one of both is None, or both where nobody measured."""


def check_duration(seconds: float | None) -> Duration:
    """Return a duration in seconds; one below zero, or without end, is not known."""
    if seconds is None:
        return None, None
    return (seconds, None) if math.isfinite(seconds) and seconds >= 0 else (None, UnknownDuration.IMPOSSIBLE)


class ReviewDecision(StrEnum):
    """A decision on an answer; `undone` takes the decision before it back."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDONE = "undone"


class AdjudicationDecision(StrEnum):
    """A decision on an item: right answers, or that the item is broken; `undone` takes the decision before it back."""

    LABEL = "label"
    BROKEN = "broken"
    UNDONE = "undone"


class CaseReason(StrEnum):
    """Why an item waits for an adjudicator."""

    TIE = "tie"
    LOW_CONFIDENCE = "low confidence"
    RULE_CONFLICT = "rule conflict"
    REPORT = "report"


class BatchWork(StrEnum):
    """What a batch in Label Studio is for: answers to items, or decisions on items or on answers.

    An adopted one is a project that somebody made there, whose annotations are read.
    """

    ANSWERS = "answers"
    ADJUDICATION = "adjudication"
    GOLD_REVIEW = "gold review"
    REVIEW = "review"
    ADOPTED = "adopted"


class GoldStratum(StrEnum):
    """The strata of a gold review.

    Items on which the majority of people says otherwise than the gold; of the others those on which the majority of
    models does; and the rest, of which a random sample is reviewed.
    """

    PEOPLE = "people"
    MODELS = "models"
    REST = "rest"


def build_rejection(reason: str) -> Exclusion:
    """The exclusion of an answer that a reviewer rejected for this reason; it is empty once they are erased."""
    return Exclusion(ExclusionKind.REJECTED, Finding("rejected-because", why=reason) if reason else Finding("rejected"))


def name_next_version(version: str | None, *, has_gold: bool) -> str:
    """The version of gold that an adjudicator decides, after the declared gold with this version.

    Without declared gold it is 1, after gold without a version 2; 3 follows 2, v3 follows v2, and x.2 any other x.
    """
    if not has_gold:
        return "1"
    match = re.fullmatch(r"(v?)(\d{1,6})", version or "1")
    return f"{version}.2" if match is None else f"{match[1]}{int(match[2]) + 1}"
