"""Questions answered from options: one of them, any number of them, or a point on a scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from annotation.campaigns.questions.base import Answer, Fit, Material, Question, as_json, as_text
from annotation.campaigns.sections import Section, Text

Options = Annotated[tuple[Text, ...], Field(min_length=2)]

CLASSES = Fit(
    consensus=("majority", "dawid_skene"),
    agreement=("percent", "krippendorff_alpha_nominal", "fleiss_kappa", "gwet_ac1"),
    scores=("accuracy", "macro_f1", "weighted_f1", "mcc"),
)
NO_CLASSES = Fit(consensus=("majority", "one_coin"), agreement=("percent", "chance_corrected"), scores=("accuracy",))


def _refuse_twice(options: Sequence[str], what: str) -> None:
    twice = next((option for option in options if options.count(option) > 1), None)
    if twice is not None:
        raise ValueError(f"The {what} {twice!r} stands twice")


class Positions(Section):
    """`labels: {positions: [A, B, C, D]}`: the codes of the options' places."""

    positions: Options

    @model_validator(mode="after")
    def _differ(self) -> Positions:
        _refuse_twice(self.positions, "position")
        return self


def _labels_form(value: object) -> str:
    return "<word>" if isinstance(value, str) else "<codes>"


Labels = Annotated[
    Annotated[Literal["positions"], Tag("<word>")] | Annotated[Positions, Tag("<codes>")], Discriminator(_labels_form)
]


class _FromOptions(Question):
    """`options` are fixed for all items, or None where every item brings its own."""

    options: Options | None = None
    shuffle: bool = False

    @model_validator(mode="after")
    def _options_differ(self) -> _FromOptions:
        _refuse_twice(self.options or (), "option")
        return self


class Choice(_FromOptions):
    """One of several options.

    `labels` say under which codes the options of an item are stored by their place (DESIGN, "What counts as a class").
    `abstain` is one more option, always the last: it fills the overlap and is no class.
    """

    kind: ClassVar[str] = "choice"

    type: Literal["choice"]
    labels: Labels | None = None
    abstain: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Choice:
        if self.options is not None and self.labels is not None:
            raise ValueError(
                "Positions are for options that differ from item to item; fixed options are classes already"
            )
        if self.abstain is not None and self.abstain in (*(self.options or ()), *(self.positions or ())):
            raise ValueError(f"{self.abstain!r} stands among the options already; `abstain` adds it")
        return self

    @property
    def positions(self) -> tuple[str, ...] | None:
        """The codes of the places where the project file names them; see `counted`."""
        return self.labels.positions if isinstance(self.labels, Positions) else None

    def counted(self, most_options: int) -> Choice:
        """The question with its positions written out for the largest number of options that an item has."""
        if self.labels != "positions" or most_options < 2:
            return self
        codes = Positions(positions=tuple(str(number) for number in range(most_options)))
        return self.model_copy(update={"labels": codes})

    def options_of(self, own: Sequence[str] | None) -> tuple[str, ...]:
        """The texts that a person can choose from on an item whose own options are `own`."""
        options = self.options if self.options is not None else tuple(own or ())
        return options if self.abstain is None else (*options, self.abstain)

    def substantive(self, own: Sequence[str] | None) -> tuple[str, ...]:
        """The options that are no abstention."""
        return self.options if self.options is not None else tuple(own or ())

    def labels_of(self, own: Sequence[str] | None) -> tuple[str, ...]:
        """The labels under which those options are stored and published, in the same order."""
        options = self.options_of(own)
        if self.labels is None:
            return options
        plain = len(options) - (self.abstain is not None)
        codes = self.positions or tuple(str(number) for number in range(plain))
        return (*codes[:plain], *options[plain:])

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The closed label set, None where the options differ and share no classes."""
        return self.positions if self.labels is not None else self.options

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The fixed labels, the abstention included."""
        return None if self.options is None else self.labels_of(None)

    @property
    def fit(self) -> Fit:
        """Classes allow everything; options that differ share none."""
        return NO_CLASSES if self.options is None and self.labels is None else CLASSES

    def parse(self, raw: object, material: Material) -> Answer:
        """The label of an option; raises BadInput for anything else."""
        label = as_text(self, raw)
        labels = self.labels_of(material.options)
        if label not in labels:
            raise self.refusal(f"cannot be answered with {label!r}.", f"The options are: {', '.join(labels)}.")
        return label


class Choices(_FromOptions):
    """Any number of options, at least `least`, at most `most`; stored as a JSON list in the options' order."""

    kind: ClassVar[str] = "choices"

    type: Literal["choices"]
    options: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    least: Annotated[int, Field(ge=0)] = 0
    most: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Choices:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"At least {self.least} and at most {self.most} options contradict each other")
        return self

    @property
    def fit(self) -> Fit:
        """Each option is a yes or no of its own."""
        return Fit(
            consensus=("majority",) if self.options is None else ("majority", "dawid_skene"),
            agreement=("exact_sets", "krippendorff_alpha_masi", "krippendorff_alpha_nominal"),
            scores=("exact_match", "f1a", "f1m"),
        )

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The fixed options."""
        return self.options

    def options_of(self, own: Sequence[str] | None) -> tuple[str, ...]:
        """The texts that a person can choose from on an item whose own options are `own`."""
        return self.options if self.options is not None else tuple(own or ())

    def unanswered(self, raw: object) -> bool:
        """No option at all is an answer where that is allowed."""
        return super().unanswered(raw) or (self.least > 0 and as_json(raw) in ([], ()))

    def parse(self, raw: object, material: Material) -> Answer:
        """A list of options, or a JSON list of them as text; one option may stand alone."""
        value = as_json(raw)
        given = [value] if isinstance(value, str) and value.strip() else value
        if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
            raise self.refusal("takes a list of options.", 'Write it like ["so", "so"].')
        chosen, options = [one.strip() for one in given], self.options_of(material.options)
        for one in chosen:
            if one not in options:
                raise self.refusal(f"cannot be answered with {one!r}.", f"The options are: {', '.join(options)}.")
            if chosen.count(one) > 1:
                raise self.refusal(f"has {one!r} twice.", "Give each option once.")
        if len(chosen) < self.least or len(chosen) > (self.most or len(options)):
            raise self.refusal(
                f"has {len(chosen)} options chosen.", f"Choose {self.least} to {self.most or len(options)} of them."
            )
        return tuple(option for option in options if option in chosen)


class Scale(Question):
    """A point on an ordered scale, `options` from the lowest to the highest; `ends` are words beside both ends."""

    kind: ClassVar[str] = "scale"

    type: Literal["scale"]
    options: Options
    ends: tuple[Text, Text] | None = None

    @model_validator(mode="after")
    def _options_differ(self) -> Scale:
        _refuse_twice(self.options, "point of the scale")
        return self

    @property
    def fit(self) -> Fit:
        """Order counts: near misses are smaller than far ones."""
        return Fit(
            consensus=("median", "majority", "dawid_skene"),
            agreement=("krippendorff_alpha_ordinal", "percent"),
            scores=("mean_absolute_error", "spearman", "accuracy"),
        )

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The points."""
        return self.options

    def parse(self, raw: object, material: Material) -> Answer:  # noqa: ARG002  # a scale is the same for all items
        """A point of the scale."""
        point = as_text(self, raw)
        if point not in self.options:
            raise self.refusal(
                f"cannot be answered with {point!r}.", f"The scale goes {self.options[0]} … {self.options[-1]}."
            )
        return point
