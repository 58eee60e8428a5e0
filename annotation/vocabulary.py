"""The words that are stored: each enumeration is a text column with a named check."""

from __future__ import annotations

from enum import StrEnum

ABSTAINED = "abstained"
"""The reason why an answer fills the overlap and does not count: the question's `abstain`."""
NOT_BY_RULE = (
    ABSTAINED, "skipped", "extra", "withdrawn", "repeat", "control item", "no answer", "several texts", "the item",
    "deleted in Label Studio", "second pass",
)  # fmt: skip
"""How reasons begin that say what an answer is; all others say that a quality rule, or an organiser, left it out."""

CONTROL_ITEM = "control item"
"""The reason why an imported answer does not count that was there to judge the person."""

EXTRA = "extra: the item had its answers"
"""The reason why an answer does not count that came when every place of its item was taken."""

CHANGED = "the item was changed"
"""How the reason begins why an answer to an item as it was before a substantive fix does not count."""

DECLINED = "declined: "
"""How the reason of a participation begins while its person declines what is asked before the first item."""

SKIPPED = "skipped"
"""The reason why a skip that gave its place back does not count."""

DELETED = "deleted in Label Studio"
"""The reason why an answer does not count that its person took back at her desk."""

BESIDE_GOLD = "second pass: the gold was shown"
"""The reason why an answer does not count that was given beside the gold, after a blind one."""


class Stage(StrEnum):
    """Where in a campaign an item belongs."""

    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"
    MAIN = "main"


class Pool(StrEnum):
    """What an item is there for: the pool of a stage, or the control items hidden in the main one."""

    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"
    CONTROL = "control"
    MAIN = "main"

    @property
    def placed(self) -> bool:
        """Whether its items have places; all others may be met by everybody."""
        return self in {Pool.MAIN, Pool.PILOT}

    @property
    def stage(self) -> Stage:
        """The stage in which its items come."""
        return Stage.MAIN if self is Pool.CONTROL else Stage(self.value)

    @property
    def excludes(self) -> str:
        """The reason why an imported answer to one of its items does not count."""
        return f"{self.value} item"


class Surface(StrEnum):
    """Where an assignment was answered."""

    TELEGRAM = "telegram"
    IMPORT = "import"
    LABEL_STUDIO = "label studio"


class AssignmentStatus(StrEnum):
    """An assignment is live until it is answered, passed over, given back by its lease, or its person withdraws."""

    LIVE = "live"
    DONE = "done"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class ProjectStatus(StrEnum):
    """The life of a campaign; only a running one hands out items."""

    LOADED = "loaded"
    RUNNING = "running"
    PAUSED = "paused"
    CLOSED = "closed"


class ItemStatus(StrEnum):
    """An open item is handed out; a paused one waits until somebody has looked at it; a retired one is over."""

    OPEN = "open"
    PAUSED = "paused"
    RETIRED = "retired"


class ParticipationStatus(StrEnum):
    """How a person stands in a project."""

    ACTIVE = "active"
    FAILED = "failed"
    PAUSED = "paused"
    EXCLUDED = "excluded"
    WITHDRAWN = "withdrawn"


class Hindrance(StrEnum):
    """Why a person gets no item now; what she can do about it is the surface's to say."""

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


class Cause(StrEnum):
    """How a person met a group."""

    ANSWERED = "answered"
    CONTROL = "control"
    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"


class WordingKind(StrEnum):
    """Texts that people agreed to or worked by, each version kept by its hash."""

    INSTRUCTIONS = "instructions"
    CONSENT = "consent"
    WARNING = "warning"


class Event(StrEnum):
    """What the journal records."""

    KEY_MADE = "key made"
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
    GROUPS_ALLOTTED = "groups allotted"
    ITEM_FIXED = "item fixed"
    VOTES_IMPORTED = "votes imported"
    ANNOTATOR_JOINED = "annotator joined"
    QUALIFICATION_PASSED = "qualification passed"
    QUALIFICATION_FAILED = "qualification failed"
    ITEM_PAUSED = "item paused"
    ITEMS_HANDED_OVER = "items handed over"
    REPORTS_DISMISSED = "reports dismissed"
    INVITATION_MADE = "invitation made"
    INVITATION_REDEEMED = "invitation redeemed"
    CONSENT_GIVEN = "consent given"
    CONSENT_WITHDRAWN = "consent withdrawn"
    WARNING_ACCEPTED = "warning accepted"
    DECLINED = "declined"
    SUSPENDED = "suspended"
    UNSUSPENDED = "unsuspended"
    INSIDER_CHANGED = "insider changed"
    PAID = "paid"
    PERSON_WITHDREW = "person withdrew"
    PERSON_FORGOTTEN = "person forgotten"
    PERSON_UNREACHABLE = "person unreachable"
    QUALITY_FLAGGED = "quality flagged"
    PERSON_PAUSED = "person paused"
    PERSON_EXCLUDED = "person excluded"
    PERSON_READMITTED = "person readmitted"
    ANSWERS_EXCLUDED = "answers excluded"
    ANSWERS_REINSTATED = "answers reinstated"


class Repeats(StrEnum):
    """Which of several imported votes of one person on one item count."""

    FIRST = "first"
    LAST = "last"
    ALL = "all"


class GoldOrigin(StrEnum):
    """Where a gold label comes from."""

    CONSTRUCTION = "construction"
    EXPERT = "expert"
    VOTES = "votes"
    ADJUDICATION = "adjudication"
    DECLARED = "declared"
