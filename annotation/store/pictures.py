"""Pictures of items: stored once each, however many items show them, and deleted with the last one; and the ids under
which Telegram has them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.stimulus import list_images
from annotation.errors import BadInput, Where
from annotation.loading.items.picture_reader import MEDIA_TYPES, read_picture
from annotation.store.models import Item, Picture, PictureUpload

ITEMS_PER_FETCH = 1_000


def store_pictures(session: Session, files: Mapping[str, Path]) -> None:
    """Store the pictures of these files, by the name of the picture, that are not stored yet.

    One file is read at a time, so that memory holds one picture. Raises BadInput for a file that was changed since its
    items were read.
    """
    if not files:
        return
    _wait_for_other_loads(session)
    stored = set(session.exec(select(Picture.sha256)))
    for name, path in sorted(files.items()):
        if _get_sha256(name) in stored:
            continue
        picture = read_picture(path)
        if picture.name != name:
            raise BadInput(
                "The picture was changed while it was read.", where=Where(file=path), remedy="Load it again."
            )
        columns = {"width": picture.width, "height": picture.height, "content": picture.content}
        columns |= {"sha256": _get_sha256(name), "media_type": picture.media_type}
        session.connection().execute(sa.insert(Picture), columns)  # the session would keep them all in memory


def find_picture(session: Session, name: str) -> Picture | None:
    """Return the picture with this name (its sha256 and ending), or None if there is none."""
    return session.get(Picture, _get_sha256(name))


def read_contents(session: Session, names: Iterable[str]) -> dict[str, bytes]:
    """The bytes of the pictures with these names that are stored, by name, sorted."""
    found = {}
    for name in sorted(set(names)):
        content = session.exec(select(Picture.content).where(Picture.sha256 == _get_sha256(name))).first()
        if content is not None:
            found[name] = content
    return found


def build_data_uris(session: Session, names: Iterable[str]) -> dict[str, str]:
    """The pictures with these names as `data:` URIs, which need no server, by name."""
    return {
        name: f"data:{MEDIA_TYPES[name.rpartition('.')[2]]};base64,{base64.b64encode(content).decode()}"
        for name, content in read_contents(session, names).items()
    }


def get_sizes(session: Session, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The width and height of the pictures with these names that are stored."""
    by_sha256 = {_get_sha256(name): name for name in names}
    query = select(Picture.sha256, Picture.width, Picture.height).where(col(Picture.sha256).in_(by_sha256))
    return {by_sha256[sha256]: (width, height) for sha256, width, height in session.exec(query)} if by_sha256 else {}


def delete_unused_pictures(session: Session) -> None:
    """Delete the pictures that no item shows."""
    if session.exec(select(Picture.sha256).limit(1)).first() is None:
        return
    _wait_for_other_loads(session)
    shown = {sha256 for _, sha256 in _list_shown(session)}
    unused = [{"unused": sha256} for sha256 in session.exec(select(Picture.sha256)) if sha256 not in shown]
    for table in (Picture, PictureUpload) if unused else ():
        session.connection().execute(sa.delete(table).where(col(table.sha256) == sa.bindparam("unused")), unused)


def list_items_without_picture(session: Session) -> list[str]:
    """The items that show a picture which is not stored, as `item 5`, in the order of their ids."""
    stored = set(session.exec(select(Picture.sha256)))
    missing = {item: None for item, sha256 in _list_shown(session) if sha256 not in stored}
    return [f"item {item}" for item in missing]


def _list_shown(session: Session) -> Iterator[tuple[int, str]]:
    """The id of each item with the hash of each picture that it shows."""
    query = select(Item.id, Item.pieces).where(sa.cast(Item.pieces, sa.Text).contains('"image"')).order_by(col(Item.id))
    for item, pieces in session.exec(query.execution_options(yield_per=ITEMS_PER_FETCH)):
        yield from ((item or 0, _get_sha256(name)) for name in list_images(pieces or ()))


def find_file_id(session: Session, name: str, *, bot_id: int) -> str | None:
    """The id under which Telegram has the picture for a bot, None if the bot has not uploaded it."""
    upload = session.get(PictureUpload, (bot_id, _get_sha256(name)))
    return None if upload is None else upload.file_id


def store_file_id(session: Session, name: str, *, bot_id: int, file_id: str) -> None:
    """Store the id under which Telegram has the picture for a bot, in the place of an earlier one."""
    session.merge(PictureUpload(bot_id=bot_id, sha256=_get_sha256(name), file_id=file_id))


def _get_sha256(name: str) -> str:
    return name.partition(".")[0]


def _wait_for_other_loads(session: Session) -> None:
    """Wait until no other transaction loads pictures: it could delete one that this transaction finds stored."""
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("LOCK TABLE picture IN SHARE ROW EXCLUSIVE MODE"))
