"""Sections of the project file about annotators: consent, profile, admission, exposure, rewards and pay, examples."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_serializer, model_validator

from annotation.campaigns.sections.base import (
    Contradiction,
    Name,
    PathInFile,
    Section,
    Share,
    Text,
    Texts,
    wrap_in_list,
)

PageReason = Literal["choice", "choices", "scale", "text", "span", "edit", "preference", "long"]
"""What an item has for which the answer page is offered: a question of this type, or more text than one message."""
Money = Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=4)]
"""An amount of money, in the currency that is named beside it."""


class ConsentSection(Section):
    """`consent:` the file with the text that annotators must accept first, and again when `version` changes."""

    file: PathInFile
    version: Text


AGE_FIELD, AGE_BOUNDS = "age", (5.0, 120.0)
"""The profile field that has bounds without being given any, and these bounds, in years."""


class ProfileField(Section):
    """One profile question; annotators may leave it unanswered unless it is `required`.

    A number must lie between `least` and `most`; without them any is accepted, except that an age has AGE_BOUNDS.
    """

    name: Name
    text: Text
    type: Literal["choice", "text", "number"] = "choice"
    options: tuple[Text, ...] = ()
    required: bool = False
    least: float | None = None
    most: float | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ProfileField:
        if len(self.options) < 2 if self.type == "choice" else self.options:
            raise ValueError("`choice` needs at least two options; `text` and `number` take none")
        if self.type != "number" and not (self.least is None and self.most is None):
            raise ValueError("Only a number has `least` and `most`")
        lowest, highest = self.bounds
        if lowest is not None and highest is not None and lowest > highest:
            raise ValueError(f"`least` ({lowest:g}) is larger than `most` ({highest:g})")
        return self

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest accepted number; None where there is no limit."""
        least, most = AGE_BOUNDS if (self.type, self.name) == ("number", AGE_FIELD) else (None, None)
        return (least if self.least is None else self.least, most if self.most is None else self.most)


class EarlierControl(Section):
    """Admission by accuracy on the control items of earlier projects: `least` is the minimum share of right answers."""

    least: Share
    projects: Annotated[tuple[Name, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]


class AdmissionSection(Section):
    """`admission:` who may join the project; all conditions must be met.

    `profile` maps profile fields to the answers that admit, `cohort` lists cohorts, `earlier_control` is about control
    items of earlier projects, and `top` admits that share of annotators, those with the best accuracy on them.
    """

    profile: dict[str, Annotated[tuple[Text, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]] = Field(
        default_factory=dict
    )
    cohort: Texts = ()
    earlier_control: EarlierControl | None = None
    top: Share | None = None


CURRENCY_NAMES = {
    "EUR": ("€", "euro", "euros", "євро", "евро"),
    "GBP": ("£", "pound", "pounds"),
    "PLN": ("zł", "zloty", "złoty", "złotych"),
    "UAH": ("₴", "грн", "hryvnia", "hryvnias", "гривня", "гривні", "гривень"),
    "USD": ("$", "us$", "dollar", "dollars"),
}


def _check_currency(value: str) -> str:
    """Check that a value looks like the code of a currency; the error says the code of a name or a sign."""
    if re.fullmatch("[A-Z]{3}", value):
        return value
    written = value.strip().rstrip(".").lower()
    by_name = {name: code for code, names in CURRENCY_NAMES.items() for name in names}
    code = written.upper() if re.fullmatch("[a-z]{3}", written) else by_name.get(written)
    raise ValueError(f"{value!r} is not the code of a currency: write {code or 'its three letters, like EUR or UAH'}")


class PaySection(Section):
    """`pay:` the rate for an hour of active work or for an answered item; `currency` is an ISO 4217 code.

    With `rejected: no` answers that were rejected in a review, and the time that they took, are not paid.
    """

    per_hour: Money | None = None
    per_item: Money | None = None
    rejected: bool = True
    currency: Annotated[str, AfterValidator(_check_currency)]

    @model_validator(mode="after")
    def _one_rate(self) -> PaySection:
        if (self.per_hour is None) == (self.per_item is None):
            raise ValueError("Give either `per_hour` or `per_item`")
        return self


def _read_no_emoji(value: object) -> object:
    return () if value in (False, "no", "none") else value


class RewardSection(Section):
    """`reward:` what annotators get for answers: an emoji after each, a countdown of the remaining items, and `pay`.

    Without `emoji` one of `FOOD_EMOJIS` follows each answer; `none`, `no` or an empty list turns it off.
    """

    emoji: Annotated[tuple[Text, ...] | None, BeforeValidator(_read_no_emoji)] = None
    countdown: bool = False
    pay: PaySection | None = None


class AttestationSection(Section):
    """`attestation:` the question after each work session about the tools that the annotator used."""

    text: Text
    options: Annotated[tuple[Text, ...], Field(min_length=2)]


class ExposureSection(Section):
    """`exposure:` exceptions from the rule that nobody meets a group of items twice.

    Annotators of these projects may be shown groups here that they have met there; their answers are scored separately.
    """

    exceptions: Annotated[tuple[Name, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]


FRIENDS = "friends"
"""The cohort of the annotators whom others have invited (`invite_friends`)."""


def find_impossible_admission(
    profile: tuple[ProfileField, ...], admission: AdmissionSection | None, *, invites_friends: bool = False
) -> Contradiction | None:
    """Find the first condition of admission that nobody, or no invited friend, can meet, or None.

    It asks for a field that the profile does not have, for an answer that the field does not offer, or for a cohort
    other than the one of friends.
    """
    if invites_friends and admission is not None and admission.cohort and FRIENDS not in admission.cohort:
        message = f"Invited friends (`invite_friends`) join the cohort {FRIENDS!r}, which is missing here"
        return Contradiction(message, ("admission", "cohort"))
    fields_by_name = {field.name: field for field in profile}
    for name, values in (admission.profile if admission else {}).items():
        key_path = ("admission", "profile", name)
        if name not in fields_by_name:
            return Contradiction(f"Admission asks for {name!r}, a field that the profile does not have", key_path)
        options = fields_by_name[name].options
        for value in values:
            if options and value not in options:
                return Contradiction(
                    f"Admission asks for {name!r} to be {value!r}, which is not among its options", key_path
                )
    return None


class ExamplesSection(Section):
    """`examples:` good and bad answers shown before the first item, each with its reason in the same line."""

    good: Texts = ()
    bad: Texts = ()


class SurfaceSection(Section):
    """`surface:` items under which the chat offers the answer page: by type of question, or `long` ones.

    A long item is one that takes several messages.
    """

    page: Annotated[frozenset[PageReason], BeforeValidator(wrap_in_list)] = frozenset()

    @field_serializer("page")
    def _sort_page(self, page: frozenset[PageReason]) -> list[str]:
        return sorted(page)
