"""Who takes part, on what terms, and what they get."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from annotation.campaigns.sections import Contradiction, Name, Section, Share, Text, Words, as_list

Money = Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=4)]


class ConsentSection(Section):
    """`consent:` the text that people agree to before anything else; a new version asks again."""

    file: Text
    version: Text


class ProfileField(Section):
    """One thing asked of a person; left open by whoever does not want to say, unless `required`."""

    name: Name
    text: Text
    type: Literal["choice", "text", "number"] = "choice"
    options: tuple[Text, ...] = ()
    required: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> ProfileField:
        if (self.type == "choice") != (len(self.options) >= 2):
            raise ValueError("A choice has two options or more, a text or a number none")
        return self


class EarlierControl(Section):
    """At least this share of the control items right in earlier projects."""

    least: Share
    projects: Annotated[tuple[Name, ...], BeforeValidator(as_list), Field(min_length=1)]


class AdmissionSection(Section):
    """`admission:` who is invited: by profile answers, cohort, control items in earlier projects, the top n %."""

    profile: dict[str, Annotated[tuple[Text, ...], BeforeValidator(as_list), Field(min_length=1)]] = Field(
        default_factory=dict
    )
    cohort: Words = ()
    earlier_control: EarlierControl | None = None
    top: Share | None = None


class PaySection(Section):
    """`pay:` what is owed, for an hour of active work or for an item answered; `currency` as ISO 4217 writes it."""

    per_hour: Money | None = None
    per_item: Money | None = None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]

    @model_validator(mode="after")
    def _one_rate(self) -> PaySection:
        if (self.per_hour is None) == (self.per_item is None):
            raise ValueError("What is paid for? Give `per_hour` or `per_item`, one of them")
        return self


class RewardSection(Section):
    """`reward:` what an answer brings: an emoji after each, and the number that is left for all; `pay` in money."""

    emoji: tuple[Text, ...] = ()
    countdown: bool = False
    pay: PaySection | None = None


class AttestationSection(Section):
    """`attestation:` what people are asked at the end of a sitting about tools that helped them."""

    text: Text
    options: Annotated[tuple[Text, ...], Field(min_length=2)]


class ExposureSection(Section):
    """`exposure:` projects whose people may meet the same groups here all the same; such answers are scored apart."""

    exceptions: Annotated[tuple[Name, ...], BeforeValidator(as_list), Field(min_length=1)]


def unknown_profile(profile: tuple[ProfileField, ...], admission: AdmissionSection | None) -> Contradiction | None:
    """What is wrong with an admission by profile: a field that is not asked, or an answer that nobody can give."""
    known = {field.name: field for field in profile}
    for name, values in (admission.profile if admission else {}).items():
        at = ("admission", "profile", name)
        if name not in known:
            return Contradiction(f"Admission asks for {name!r}, the profile does not", at)
        options = known[name].options
        for value in values:
            if options and value not in options:
                return Contradiction(f"Admission asks for {name!r} to be {value!r}, which is not among its options", at)
    return None
