"""The section `panels` of the project file: groups of annotators whose answers are kept and measured apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated

from pydantic import BeforeValidator, Field

from annotation.campaigns.sections.annotators import AdmissionSection, ProfileField, find_impossible_admission
from annotation.campaigns.sections.base import Contradiction, Count, Section, Text, Texts, wrap_in_list


class PanelSection(Section):
    """One of the `panels`: who belongs to it, and what it gives.

    A member is in one of the cohorts of `cohort` and gave one of these answers to each field of `profile`. `votes` is
    the number of answers that each item gets from the panel. With `gold` the panel's consensus is gold, and nobody of
    the panel is scored by it.
    """

    cohort: Texts = ()
    profile: dict[str, Annotated[tuple[Text, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]] = Field(
        default_factory=dict
    )
    votes: Count | None = None
    gold: bool = False

    def includes(self, *, profile: Mapping[str, str], cohorts: Collection[str]) -> bool:
        """Whether a person with these answers and cohorts belongs to the panel."""
        in_cohort = not self.cohort or any(name in cohorts for name in self.cohort)
        return in_cohort and all(profile.get(name) in values for name, values in self.profile.items())

    def covers(self, other: PanelSection) -> bool:
        """Whether whoever belongs to the other panel belongs to this one, too."""
        of_cohort = not self.cohort or (bool(other.cohort) and set(other.cohort) <= set(self.cohort))
        return of_cohort and all(
            name in other.profile and set(other.profile[name]) <= set(values) for name, values in self.profile.items()
        )


Panels = Mapping[str, PanelSection]


def find_panels(panels: Panels, *, profile: Mapping[str, str], cohorts: Collection[str]) -> tuple[str, ...]:
    """The names of the panels to which a person belongs, in the order of the file."""
    return tuple(name for name, panel in panels.items() if panel.includes(profile=profile, cohorts=cohorts))


def find_panel_contradiction(
    panels: Panels, fields: tuple[ProfileField, ...], *, overlap: int | None, varies: bool
) -> Contradiction | None:
    """Find the first panel that nobody or everybody of another one belongs to, or a number of votes that cannot be.

    `overlap` is the number of answers of an item, None for imported votes; `varies` says that some items get more.
    """
    for name, panel in panels.items():
        if not panel.cohort and not panel.profile:
            message = f"Who is in the panel {name!r}? Name a `cohort`, or answers of the `profile`"
            return Contradiction(message, ("panels", name))
        impossible = find_impossible_admission(fields, AdmissionSection(profile=panel.profile))
        if impossible is not None:
            message = impossible.message.replace("Admission", f"The panel {name!r}", 1)
            return Contradiction(message, ("panels", name, *impossible.key_path[1:]))
        others = (other for other in panels if other != name and panel.covers(panels[other]))
        covered = next(others, None)
        if covered is not None:
            message = f"Everybody in the panel {covered!r} is also in {name!r}; a person can be in one panel only"
            return Contradiction(message, ("panels", covered))
    return next(_list_vote_contradictions(panels, overlap=overlap, varies=varies), None)


def _list_vote_contradictions(panels: Panels, *, overlap: int | None, varies: bool) -> Iterator[Contradiction]:
    """What is wrong with the numbers of votes of the panels."""
    with_votes = [name for name, panel in panels.items() if panel.votes is not None]
    if not with_votes:
        return
    key_path = ("panels", with_votes[0], "votes")
    if overlap is None:
        yield Contradiction("Imported votes have the overlap that they have; leave `votes` out", key_path)
    if varies:
        message = "The votes of a panel are a fixed number; write `overlap` as their sum, or leave `votes` out"
        yield Contradiction(message, key_path)
    without = [name for name in panels if name not in with_votes]
    if without:
        message = f"How many answers does an item get from the panel {without[0]!r}? Add `votes`, as the others have it"
        yield Contradiction(message, ("panels", without[0], "votes"))
    total = sum_panel_votes(panels)
    if overlap != total:
        words = " and ".join(f"{panels[name].votes} of {name}" for name in with_votes)
        yield Contradiction(f"The panels give {words}: write `overlap: {total}`", ("overlap",))


def sum_panel_votes(panels: Panels) -> int | None:
    """The number of answers of an item from all panels together; None where panels have no number of their own."""
    votes: Sequence[int] = [panel.votes for panel in panels.values() if panel.votes is not None]
    return sum(votes) if votes else None


def list_weak_panels(panels: Panels) -> Iterator[str]:
    """Sentences about panels whose numbers of answers make results weak."""
    for name, panel in panels.items():
        if panel.votes == 1:
            yield (
                f"With one answer an item the panel {name!r} has no agreement and no majority of its own: write"
                " `votes: 3` or more, unless its people are the judges."
            )
        elif panel.votes is not None and panel.votes % 2 == 0:
            yield (
                f"With an even number of answers ({panel.votes}) the majority of the panel {name!r} can tie: write an"
                f" odd number of `votes`, as {panel.votes + 1}."
            )


def list_shared_panels(panels: Panels) -> Iterator[str]:
    """Sentences about panels without a cohort, which members of another panel would enter by what they answer."""
    for (one, first), (two, second) in combinations(panels.items(), 2):
        open_panel = next((name for name in (two, one) if not panels[name].cohort), None)
        if open_panel is not None and _can_share(first, second):
            other = one if open_panel == two else two
            said = " and ".join(f"{name}: {' or '.join(values)}" for name, values in panels[open_panel].profile.items())
            yield (
                f"A member of the panel {other!r} who answers {said} is in {open_panel!r} as well, and gets no items:"
                f" add a `cohort` to {open_panel!r}, so that each panel is invited by its own link."
            )


def _can_share(first: PanelSection, second: PanelSection) -> bool:
    """Whether the answers of the profile let a person be in both."""
    return all(set(values) & set(second.profile.get(name, values)) for name, values in first.profile.items())


def describe_panel(panel: PanelSection) -> str:
    """Who belongs to a panel and what it gives, in words for organisers."""
    who = [f"cohort {' or '.join(panel.cohort)}"] if panel.cohort else []
    who += [f"{name}: {' or '.join(values)}" for name, values in panel.profile.items()]
    what = [] if panel.votes is None else [f"{panel.votes} {'answer' if panel.votes == 1 else 'answers'} an item"]
    what += ["its consensus is gold"] if panel.gold else []
    return "; ".join([" and ".join(who), *what])
