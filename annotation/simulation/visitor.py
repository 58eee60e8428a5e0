"""One simulated person at work: she comes, agrees, answers, mends, reports, leaves; through the use-cases alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.errors import Stale
from annotation.simulation import door, replies
from annotation.simulation.crowd import Person
from annotation.simulation.replies import Key
from annotation.vocabulary import Hindrance
from annotation.workflow import assignments
from annotation.workflow.assignments import Offer
from annotation.workflow.waiting import Waiting

IDLE_VISITS = 8
"""So many visits in a row without an item, and she comes no more."""
READING = timedelta(seconds=20)
"""How long a consent, a warning or the profile takes."""
HERS = {Hindrance.CONSENT, Hindrance.PROFILE, Hindrance.WARNING}
LASTING = {
    Hindrance.EXCLUDED, Hindrance.FAILED, Hindrance.NOT_ADMITTED, Hindrance.PAUSED, Hindrance.QUOTA,
    Hindrance.SUSPENDED, Hindrance.WITHDRAWN,
}  # fmt: skip
"""What no visit changes, unless an organiser does something."""


@dataclass
class Visitor:
    """A person as she stands: her item, her sitting, why she comes no more (`gone`, None while she does).

    `keys` and `paces` (seconds an item, by project) are shared by all.
    """

    person: Person
    annotator_id: int
    keys: Mapping[tuple[int, str], Key]
    paces: Mapping[int, float]
    hand: Offer | None = None
    ends: datetime | None = None
    idle: int = 0
    gone: Hindrance | None = None
    met: Counter[tuple[int, str]] = field(default_factory=Counter)

    def arrive(self, start: datetime) -> datetime:
        """Her next sitting begins then."""
        self.ends = start + self.person.length(start)
        return start

    def step(self, session: Session, *, now: datetime) -> datetime | None:
        """Do what is due now; when she is here again, None where never."""
        answered = self.hand is not None
        if self.hand is not None:
            self._answer(session, self.hand, now=now)
            if self.hand is not None:
                return now + self._thinking(self.hand)
        if answered and self.ends is not None and now >= self.ends:
            return self._rest(now)
        door.attest(session, annotator_id=self.annotator_id, person=self.person, now=now)
        found = assignments.next_item(session, annotator_id=self.annotator_id, now=now)
        return self._wait(session, found, now=now) if isinstance(found, Waiting) else self._take(found, now=now)

    def _take(self, offer: Offer, *, now: datetime) -> datetime:
        """Begin with an item; now and then she leaves with it in her hands."""
        self.hand, self.idle = offer, 0
        met = self.met[offer.project_id, offer.item]
        leaves = not self.person.careless and self._draw("leaves", offer.item, met) < self.person.crowd.leaves
        return self._rest(now) if leaves else now + self._thinking(offer)

    def _wait(self, session: Session, waiting: Waiting, *, now: datetime) -> datetime | None:
        if waiting.reason in HERS and waiting.project is not None:
            door.pass_(session, waiting, annotator_id=self.annotator_id, person=self.person, now=now)
            return now + READING
        if waiting.reason is Hindrance.SEARCHING:
            return now + timedelta(seconds=1)
        if waiting.until is not None:
            return self._rest(waiting.until)
        self.idle += 1
        lasting = waiting.reason in LASTING or waiting.reason is Hindrance.CAP
        if lasting or self.idle >= IDLE_VISITS:
            self.gone = waiting.reason
            return None
        return self._rest(now)

    def _rest(self, now: datetime) -> datetime:
        return self.arrive(self.person.next_sitting(now))

    def _thinking(self, offer: Offer) -> timedelta:
        about = (offer.project_id, offer.item, self.met[offer.project_id, offer.item], offer.revision)
        pace = self.paces[offer.project_id] / (3 if offer.revision else 1)
        return timedelta(seconds=round(self.person.seconds(pace, *about), 1))

    def _answer(self, session: Session, offer: Offer, *, now: datetime) -> None:
        """Answer, pass over or report what is in her hands; an answer that comes too late is not taken."""
        self.hand = None
        about = (offer.item, self.met[offer.project_id, offer.item])
        who, what = self.annotator_id, offer.assignment_id
        crowd, diligent = self.person.crowd, not self.person.careless and offer.revision == 0
        try:
            if diligent and self._draw("reports", *about) < crowd.reports:
                assignments.report(session, annotator_id=who, assignment_id=what, reason="simulated", now=now)
            if diligent and self._draw("skips", *about) < crowd.skips:
                assignments.skip(session, annotator_id=who, assignment_id=what, reason="simulated", now=now)
            else:
                said, revision = self._replies(offer), offer.revision
                assignments.submit(
                    session, annotator_id=who, assignment_id=what, revision=revision, answers=said, now=now
                )
                if diligent and self._draw("undos", *about) < crowd.undos:
                    self.hand = assignments.undo(session, annotator_id=who, assignment_id=what, now=now)
        except Stale:
            pass
        if self.hand is None:
            self.met[offer.project_id, offer.item] += 1

    def _replies(self, offer: Offer) -> dict[str, object]:
        known = self.keys[offer.project_id, offer.item]
        asked = [one.question for one in offer.questions]
        met = self.met[offer.project_id, offer.item]
        rng = self.person.rng("answers", offer.project_id, offer.item, met, offer.revision)
        return replies.replies(asked, known, person=self.person, rng=rng)

    def _draw(self, *about: object) -> float:
        return self.person.rng(*about).random()
