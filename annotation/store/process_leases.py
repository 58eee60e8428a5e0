"""What only one process does at a time: it takes a lease, renews it while it goes on, and gives it back at its end."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.store.models import Lease
from annotation.store.models.base import Moment


def holder(session: Session, *, name: str) -> str | None:
    """Who has the lease, or had it last."""
    return session.exec(select(Lease.holder).where(Lease.name == name)).first()


def take(session: Session, *, name: str, holder: str, now: datetime, until: datetime, from_: str | None = None) -> bool:
    """Take or renew a lease; False where another has it still. `from_` is a holder that is known to be gone."""
    values = {"name": name, "holder": holder, "now": now, "until": until, "gone": from_}
    return session.connection().execute(_TAKE, values).rowcount == 1


def give_back(session: Session, *, name: str, holder: str) -> None:
    """Let the next one have it at once."""
    session.connection().execute(_GIVE_BACK, {"name": name, "holder": holder})


_TAKE = sa.text("""
INSERT INTO lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.holder = :holder OR lease.until < :now OR lease.holder = :gone""").bindparams(
    sa.bindparam("now", type_=Moment()), sa.bindparam("until", type_=Moment()), sa.bindparam("gone", type_=sa.String())
)
_GIVE_BACK = sa.text("DELETE FROM lease WHERE name = :name AND holder = :holder")
