"""What people say of themselves, and what is no answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from annotation.campaigns.sections.annotators import ProfileField
from annotation.errors import BadInput
from annotation.workflow import definitions
from annotation.workflow.annotators import registration

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
CHOICE = ProfileField(name="native", text="?", options=("українська", "інша"))
NUMBER = ProfileField(name="age", text="?", type="number", required=True)
YEARS = ProfileField(name="years", text="?", type="number", most=60)
TEXT = ProfileField(name="city", text="?", type="text")


@pytest.mark.parametrize(
    ("field", "value", "stored"),
    [
        (CHOICE, " інша ", "інша"),
        (CHOICE, None, ""),
        (CHOICE, "марсіанська", "'марсіанська' is not among the options."),
        (NUMBER, "34", "34"),
        (NUMBER, "34,5", "34.5"),
        (NUMBER, "-1", "-1 is out of range."),
        (NUMBER, "121", "121 is out of range."),
        (YEARS, "-1", "-1"),
        (YEARS, "61", "61 is out of range."),
        (NUMBER, "багато", "'багато' is not a number."),
        (NUMBER, "1e9", "'1e9' is not a number."),
        (NUMBER, "nan", "'nan' is not a number."),
        (NUMBER, None, "This question is required."),
        (NUMBER, "  ", "This question is required."),
        (TEXT, "Львів\n", "Львів"),
        (TEXT, "", ""),
        (TEXT, "я" * 501, "This is too long."),
    ],
)
def test_answers_of_a_profile_are_checked(field: ProfileField, value: str | None, stored: str) -> None:
    """A choice, a number, a text, or nothing at all, unless it is required."""
    try:
        found = definitions.parse_profile_answer(field, value)
    except BadInput as refusal:
        found = refusal.problem
    assert found == stored


def test_an_answer_that_a_field_no_longer_takes_is_asked_for_again() -> None:
    """Another project may ask the same field with other options, or require it."""
    given = {"native": "інша", "age": ""}
    assert definitions.list_missing_fields((CHOICE, NUMBER, TEXT), given) == (NUMBER, TEXT)
    narrower = CHOICE.model_copy(update={"options": ("українська", "польська")})
    assert definitions.list_missing_fields((narrower,), given) == (narrower,)


@pytest.mark.parametrize("name", ["Europe/Kyiv", "America/New_York", "UTC"])
def test_a_time_zone_is_one_of_the_database(people: People, name: str) -> None:
    """Names of the IANA database are taken; anything else is refused with an example."""
    with people.db.transaction() as session:
        person = people.joined(session, 1)
        registration.set_time_zone(session, annotator=person, name=name)
        for wrong in ("Kyiv", "../../etc/passwd", "", "Europe", "+02:00"):
            with pytest.raises(BadInput, match="is not a time zone"):
                registration.set_time_zone(session, annotator=person, name=wrong)
        assert person.time_zone == name
