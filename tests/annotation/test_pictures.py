"""Pictures of items: which files are taken, what is shown of them, and when they are stored and deleted."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from _pictures import PROJECT, draw, encode, write_items, write_project
from PIL import Image, PngImagePlugin
from sqlmodel import col, select

from annotation.campaigns import project_file, stimulus
from annotation.campaigns.sections.sources import ShownColumn
from annotation.errors import BadInput, Conflict
from annotation.loading import campaign
from annotation.loading.items import picture_metadata, picture_reader
from annotation.store import database, pictures
from annotation.store.models import Item, Picture
from annotation.workflow.lifecycle import campaign_reader, item_fixes, projects
from annotation.workflow.quality import rules

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SECRET = b"50.4501 N, 30.5234 E"


def add_secrets(form: str, *, orientation: int | None = None) -> bytes:
    """A picture with EXIF, comments and a tail that name a place."""
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    if orientation is not None:
        exif[0x0112] = orientation
    how: dict[str, Any] = {"exif": exif, "icc_profile": b"a profile of colours"}
    if form == "PNG":
        how["pnginfo"] = PngImagePlugin.PngInfo()
        how["pnginfo"].add_text("Comment", SECRET.decode())
    else:
        how["xmp"] = SECRET
    how |= {"comment": SECRET} if form == "JPEG" else {"lossless": True} if form == "WEBP" else {}
    return encode(draw(), form, **how) + (SECRET if form != "WEBP" else b"")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project of two items, an owl and a stork."""
    return write_project(tmp_path / "project").parent


def read(folder: Path) -> campaign.CampaignContents:
    """Read the project."""
    return campaign.read_contents(project_file.read_project(folder / "birds.yaml"))


def load(db: database.Database, folder: Path) -> None:
    """Load the project, again with its changes."""
    with db.transaction() as session:
        projects.load_project_file(session, folder / "birds.yaml", now=NOW, confirmed=True)


def list_stored(db: database.Database) -> set[str]:
    """The hashes of the stored pictures, each checked."""
    with db.reading() as view:
        stored = view.exec(select(Picture)).all()
        assert all(hashlib.sha256(one.content).hexdigest() == one.sha256 for one in stored)
        return {one.sha256 for one in stored}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_metadata_is_left_out_and_no_pixel_changes(tmp_path: Path, form: str) -> None:
    """EXIF, XMP, comments and what follows the picture are gone; the colour profile stays."""
    content = add_secrets(form)
    (tmp_path / "one").write_bytes(content)
    shown = picture_reader.read_picture(tmp_path / "one")
    assert SECRET in content
    assert SECRET not in shown.content
    with Image.open(io.BytesIO(content)) as before, Image.open(io.BytesIO(shown.content)) as after:
        assert after.tobytes() == before.tobytes()
        assert after.info["icc_profile"] == b"a profile of colours"
        assert not after.getexif()
        assert (shown.width, shown.height) == after.size
    assert shown.name == f"{hashlib.sha256(shown.content).hexdigest()}.{picture_reader.ENDINGS[form]}"


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(2, 9))
def test_a_picture_is_turned_as_its_camera_asks(tmp_path: Path, form: str, orientation: int) -> None:
    """The white corner is where every viewer shows it, and no metadata is left that would turn it again."""
    (tmp_path / "one").write_bytes(add_secrets(form, orientation=orientation))
    shown = picture_reader.read_picture(tmp_path / "one")
    corners = {2: (39, 0), 3: (39, 29), 4: (0, 29), 5: (0, 0), 6: (29, 0), 7: (29, 39), 8: (0, 39)}
    with Image.open(io.BytesIO(shown.content)) as after:
        assert after.size == ((30, 40) if orientation > 4 else (40, 30))
        corner = after.convert("RGB").getpixel(corners[orientation])
        assert isinstance(corner, tuple)
        assert min(corner) > 200  # JPEG is not exact
        assert after.info["icc_profile"] == b"a profile of colours"
        assert not after.getexif()
    assert SECRET not in shown.content


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_picture_without_metadata_stays_as_it_is(tmp_path: Path, form: str, mode: str) -> None:
    """Byte for byte, progressive or not."""
    content = encode(draw(mode=mode), form, **({"progressive": True} if form == "JPEG" else {}))
    (tmp_path / "one").write_bytes(content)
    assert picture_reader.read_picture(tmp_path / "one").content == content


@pytest.mark.parametrize(("form", "mode"), [("PNG", "RGBA"), ("PNG", "LA"), ("PNG", "P"), ("WEBP", "RGBA")])
def test_a_transparent_picture_is_shown_on_white(tmp_path: Path, form: str, mode: str) -> None:
    """Black ink is read on a dark page and by a model that knows no transparency."""
    ink = Image.new("RGBA", (40, 30), (0, 0, 0, 0))
    ink.paste((0, 0, 0, 255), (0, 0, 8, 8))
    how = {"lossless": True} if form == "WEBP" else {}
    (tmp_path / "one").write_bytes(encode(ink.convert(mode), form, **how))
    with Image.open(io.BytesIO(picture_reader.read_picture(tmp_path / "one").content)) as shown:
        assert not shown.has_transparency_data
        assert [shown.convert("RGB").getpixel(at) for at in ((0, 0), (20, 20))] == [(0, 0, 0), (255, 255, 255)]


def test_a_picture_that_is_transparent_nowhere_stays_as_it_is(tmp_path: Path) -> None:
    """As screenshots are."""
    content = encode(draw(mode="RGBA"), "PNG")
    (tmp_path / "one").write_bytes(content)
    assert picture_reader.read_picture(tmp_path / "one").content == content


def test_deep_grey_is_grey_for_models_too(tmp_path: Path) -> None:
    """Pillow makes all above 255 white where a model asks for RGB."""
    deep = Image.new("I;16", (40, 30), 128 * 257)
    (tmp_path / "one").write_bytes(encode(deep, "PNG"))
    with Image.open(io.BytesIO(picture_reader.read_picture(tmp_path / "one").content)) as shown:
        assert shown.convert("RGB").getpixel((5, 5)) == (128, 128, 128)


def cut(content: bytes) -> bytes:
    """The first half."""
    return content[: len(content) // 2]


ANIMATION = {"save_all": True, "append_images": [draw("blue")], "duration": 100}
UNUSABLE: dict[str, tuple[Callable[[], bytes], str]] = {
    "svg": (lambda: b'<svg xmlns="http://www.w3.org/2000/svg"/>', "is not a JPEG, PNG or WebP picture. Save it in"),
    "html": (lambda: b"<!doctype html><script>alert(1)</script>", "is not a JPEG, PNG or WebP picture"),
    "gif": (lambda: encode(draw(), "GIF"), "is not a JPEG, PNG or WebP picture"),
    "tiff": (lambda: encode(draw(), "TIFF"), "is not a JPEG, PNG or WebP picture"),
    "cmyk": (
        lambda: encode(draw(mode="CMYK"), "JPEG"),
        "has the colours of printers (CMYK), which models cannot read.",
    ),
    "empty": (lambda: b"", "is not a JPEG, PNG or WebP picture"),
    "animated png": (lambda: encode(draw(), "PNG", **ANIMATION), "has more than one frame. Save one of them"),
    "animated webp": (lambda: encode(draw(), "WEBP", **ANIMATION), "has more than one frame"),
    "heavy": (lambda: encode(draw(), "PNG") + bytes(10_000_000), "has more than 10 MB. Make it smaller"),
    "large": (
        lambda: encode(draw(size=(7001, 3000)), "PNG"),
        "has a width and height of 10,001 pixels together",
    ),
    "long": (lambda: encode(draw(size=(2010, 100)), "PNG"), "has one side more than 20 times as long as the other"),
    "bomb": (lambda: claim_size(60_000, 60_000), "has a width and height of more than 10,000 pixels together"),
    "cut off png": (lambda: cut(encode(draw(), "PNG")), "is damaged: it cannot be decoded. Save it again"),
    "cut off jpeg": (lambda: cut(encode(draw(size=(400, 300)), "JPEG")), "is damaged"),
    "cut off webp": (lambda: cut(encode(draw(), "WEBP", lossless=True)), "is damaged"),
}


def claim_size(width: int, height: int) -> bytes:
    """A small PNG whose header claims to be large."""
    content = encode(draw(), "PNG")
    header = b"IHDR" + width.to_bytes(4) + height.to_bytes(4) + content[24:29]
    return content[:12] + header + zlib.crc32(header).to_bytes(4) + content[33:]


@pytest.mark.parametrize("name", UNUSABLE)
def test_other_files_are_refused_with_their_place(folder: Path, name: str) -> None:
    """Whatever they are called; the error names file, line and field."""
    make, message = UNUSABLE[name]
    (folder / "pictures" / "owl.png").write_bytes(make())
    with pytest.raises(BadInput) as refused:
        read(folder)
    assert f"items.csv:2, file: 'pictures/owl.png' {message}" in str(refused.value)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("pictures/../pictures/owl.png", "The path 'pictures/../pictures/owl.png' cannot be used. Write it from the"),
        ("pictures\\owl.png", "The path "),
        ("/etc/hostname", "The path '/etc/hostname' cannot be used"),
        ("pictures/own.png", "There is no file 'pictures/own.png'. Did you mean `owl.png`?"),
        ("pictures", "'pictures': This is a folder, not a file."),
        (
            "outside.png",
            "'outside.png' is a link to a file outside the project's folder. Copy the picture into",
        ),
        ("away/secret.png", "'away/secret.png' is a link to a file outside the project's folder"),
        (".hidden.png", "'.hidden.png': This file has a name that begins with a dot"),
        ("hromada.png", "'hromada.png': This file is a database of SQLite"),
    ],
)
def test_no_file_outside_the_project_is_read(folder: Path, written: str, message: str) -> None:
    """Nor one of hromada's own; a link inside the project is followed."""
    picture = encode(draw(), "PNG")
    (folder.parent / "away").mkdir()
    for path in ("secret.png", "away/secret.png", "project/.hidden.png"):
        (folder.parent / path).write_bytes(picture)
    (folder / "outside.png").symlink_to(folder.parent / "secret.png")
    (folder / "away").symlink_to(folder.parent / "away")
    (folder / "inside.png").symlink_to(folder / "pictures" / "owl.png")
    (folder / "hromada.png").write_bytes(b"SQLite format 3\0" + picture)
    write_items(folder, f"a,{written},,owl", "b,inside.png,,owl")
    with pytest.raises(BadInput) as refused:
        read(folder)
    assert f"items.csv:2, file: {message}" in str(refused.value)


def test_every_unusable_picture_is_told_at_once(folder: Path) -> None:
    """As with all that is wrong in a file of items."""
    write_items(folder, "a,no.png,,owl", "b,pictures/owl.png,,owl", "c,nor.png,,owl")
    with pytest.raises(BadInput) as refused:
        read(folder)
    assert [error.where.line for error in refused.value.all_found if error.where] == [2, 4]


def test_each_file_is_decoded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many items show it."""
    calls: list[Path] = []
    read_picture = picture_reader.read_picture

    def count(path: Path) -> picture_reader.PreparedPicture:
        calls.append(path)
        return read_picture(path)

    monkeypatch.setattr(picture_reader, "read_picture", count)
    write_items(folder, *(f"{number},pictures/owl.png,Text {number}.,owl" for number in range(20)))
    assert len(read(folder).pictures) == len(calls) == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("as: image", "as: image, gap: x", "A picture has no `gap`; leave `gap` or `as: image` out"),
        ("as: image", "as: image, mark: text", "A picture has no `mark`"),
        ("as: image", "as: image, fold: yes", "A picture has no `fold`"),
        ("as: image", "as: picture", "items.show"),
        (
            'type: choice, text: "Which bird?", options: [owl, stork]', 'type: span, text: "Where?", field: file',
            "'answer' is about words, and 'file' is a picture; name a column of texts",
        ),
    ],
)  # fmt: skip
def test_what_is_for_texts_is_refused_for_pictures(folder: Path, before: str, after: str, message: str) -> None:
    """A gap, marks, folding, and questions about words."""
    text = PROJECT.replace(before, after)
    (folder / "birds.yaml").write_text(text.replace(", gold: gold", "") if "span" in after else text, "utf-8")
    with pytest.raises(BadInput) as refused:
        read(folder)
    assert message in str(refused.value)


def test_a_definition_without_pictures_is_stored_as_before() -> None:
    """So that no project of an earlier release counts as changed."""
    assert "as" not in ShownColumn(field="text").model_dump(mode="json")
    picture = ShownColumn.model_validate({"field": "file", "as": "image"})
    assert ShownColumn.model_validate(picture.model_dump(mode="json")) == picture
    assert picture.model_dump(mode="json")["as"] == "image"


def test_the_stimulus_has_a_sign_and_the_hash_the_picture(folder: Path) -> None:
    """The name of the file, which can tell the answer, is not shown; the pictures make the hashes differ."""
    write_items(folder, "a,pictures/owl.png,It sits.,owl", "b,pictures/stork.jpg,It sits.,owl", "c,,It sits.,owl")
    items = read(folder).items
    assert [stimulus.render_pieces(item.pieces) for item in items] == [
        "The bird\n[picture]\n\nIt sits.", "The bird\n[picture]\n\nIt sits.", "It sits.",
    ]  # fmt: skip
    questions = read(folder).questions
    digests = {stimulus.compute_item_digest(item.pieces, "", questions=questions, item_options=None) for item in items}
    assert len(digests) == 3
    assert [piece.image and piece.image[-4:] for item in items for piece in item.pieces] == [
        ".png", None, ".jpg", None, None, None,
    ]  # fmt: skip
    assert "image" not in items[0].pieces[1].to_dict()


def test_two_pictures_of_an_item_are_both_in_its_stimulus() -> None:
    """Although the text of each is empty."""
    pieces = [stimulus.Piece("a", "", image="1.png"), stimulus.Piece("b", ""), stimulus.Piece("c", "", image="2.png")]
    assert stimulus.render_pieces(pieces) == "[picture]\n\n[picture]"


def test_pictures_are_stored_once_and_deleted_with_their_last_item(db: database.Database, folder: Path) -> None:
    """A changed picture takes the place of the old one; another project keeps what it shows."""
    load(db, folder)
    names = set(read(folder).pictures)
    assert list_stored(db) == {name.partition(".")[0] for name in names}
    with db.reading() as view:
        item = view.exec(select(Item).order_by(col(Item.rank))).first()
        assert item is not None
        definition = project_file.read_project(folder / "birds.yaml").definition
        piece = campaign_reader.get_pieces(item, definition)[0]
        assert (piece.text, piece.title, piece.image in names) == ("", "The bird", True)
        found = pictures.find_picture(view, str(piece.image))
        assert found is not None
        assert (found.media_type, found.width, found.height) == ("image/png", 400, 300)
        assert pictures.find_picture(view, "0" * 64 + ".png") is None
    other = folder / "other.yaml"
    other.write_text(PROJECT.replace("birds", "other").replace("items.csv", "other.csv"), "utf-8")
    (folder / "other.csv").write_text("id,file,text,gold\nz,pictures/stork.jpg,It flies.,stork\n", "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, other, now=NOW)
    assert len(list_stored(db)) == 2
    (folder / "pictures" / "owl.png").write_bytes(encode(draw("black"), "PNG"))
    write_items(folder, "a,pictures/owl.png,It sits.,owl")
    load(db, folder)
    expected = {*read(folder).pictures, *(name for name in names if name.endswith("jpg"))}
    assert list_stored(db) == {name.partition(".")[0] for name in expected}


def test_another_picture_under_the_same_name_changes_the_project(db: database.Database, folder: Path) -> None:
    """The files of the project and its items are the same; the plan names the item."""
    load(db, folder)
    (folder / "pictures" / "owl.png").write_bytes(encode(draw("black"), "PNG"))
    with pytest.raises(Conflict, match="items changed: a"), db.transaction() as session:
        projects.load_project_file(session, folder / "birds.yaml", now=NOW)


def test_a_fix_brings_its_picture(db: database.Database, folder: Path) -> None:
    """And takes the old one away."""
    load(db, folder)
    before = list_stored(db)
    (folder / "pictures" / "owl.png").write_bytes(encode(draw("black"), "PNG"))
    found = project_file.read_project(folder / "birds.yaml")
    with db.transaction() as session:
        item_fixes.fix_item(session, found, campaign.read_contents(found), item="a", cosmetic=False, now=NOW)
    assert list_stored(db) == {name.partition(".")[0] for name in read(folder).pictures} != before


def test_a_file_that_changes_while_it_is_loaded_is_refused(db: database.Database, folder: Path) -> None:
    """What is stored is what was checked."""
    found = project_file.read_project(folder / "birds.yaml")
    contents = campaign.read_contents(found)
    (folder / "pictures" / "owl.png").write_bytes(encode(draw("black"), "PNG"))
    with pytest.raises(BadInput, match="changed while it was read"), db.transaction() as session:
        projects.load_project(session, found, contents, now=NOW)


def test_uploads_go_with_their_picture(db: database.Database, folder: Path) -> None:
    """Of each bot; those of other pictures stay."""
    load(db, folder)
    owl, stork = sorted(read(folder).pictures, key=lambda name: name.endswith("jpg"))
    with db.transaction() as session:
        for bot, name in ((1, owl), (2**40, owl), (1, stork)):
            pictures.store_file_id(session, name, bot_id=bot, file_id="first")
            pictures.store_file_id(session, name, bot_id=bot, file_id=f"of {bot}")
    with db.reading() as view:
        assert pictures.find_file_id(view, owl, bot_id=2**40) == f"of {2**40}"
        assert pictures.find_file_id(view, owl, bot_id=3) is None
    (folder / "pictures" / "owl.png").write_bytes(encode(draw("black"), "PNG"))
    load(db, folder)
    with db.reading() as view:
        assert pictures.find_file_id(view, owl, bot_id=1) is None
        assert pictures.find_file_id(view, stork, bot_id=1) == "of 1"


def test_parts_that_do_not_fit_are_refused() -> None:
    """Of every format; nothing loops or reads beyond the end."""
    for content, ending in (
        (b"", "jpg"), (b"\xff\xd8\xff\xe0\x00\x00", "jpg"), (b"\xff\xd8\xff\xda\x00\x02\x01\x02", "jpg"),
        (b"\xff\xd8\xff\xe1\xff\xff", "jpg"), (b"", "png"), (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\x89PNG\r\n\x1a\n\xff\xff\xff\xffIDAT", "png"), (b"", "webp"), (b"RIFF\xff\0\0\0WEBPVP8 \xff\0\0\0", "webp"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"\w"):
            picture_metadata.strip_metadata(content, ending)


def test_rules_about_texts_know_no_path(db: database.Database, folder: Path) -> None:
    """An answer is not compared with the name of a file that nobody sees."""
    load(db, folder)
    definition = project_file.read_project(folder / "birds.yaml").definition
    with db.reading() as view:
        item = view.exec(select(Item).order_by(col(Item.rank))).first()
        assert item is not None
        assert list(rules._list_shown_texts(item, definition)) == ["It sits."]
