"""Where answers and people go: from all answers to those that count, and from the invitation to the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exports.facts import ProjectFacts
from exports.pages.svg import draw_bars
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter
from exports.results import DataSetResult

HOW = (
    "From every answer that was given, those that do not count are taken away, kind by kind; on what is left every"
    " number here rests. exclusions.csv has the reasons in words, human_responses.csv each answer. The second picture"
    " counts people: who was invited, agreed, began, had all there was for them, and gave an answer that counts."
)


def build_flow_chapter(state: ReleaseState) -> Chapter:
    """A panel of the answers of each data set, and one of the people of each project that asked people here."""
    panels = [_draw_flow(result, number) for number, result in enumerate(state.results) if len(result.data.responses)]
    for number, project in enumerate(state.facts.projects):
        steps = list(_list_steps(project, state))
        if steps:
            panels.append(
                draw_bars(
                    [(name, count, str(count)) for name, count in steps],
                    title=project.name,
                    subtitle="people, from the invitation to the end",
                    prefix=f"funnel-{number}",
                    simulated=state.simulated,
                )
            )
    return Chapter(id="flow", title="From all answers to those that count", how=HOW, panels=tuple(panels))


def _draw_flow(result: DataSetResult, number: int) -> str:
    data = result.data
    kinds = Counter(str(kind) for kind in data.exclusion_kinds().dropna())
    bars = [("all answers", len(data.responses), str(len(data.responses)))]
    bars += [(f"less: {kind}", count, f"−{count}") for kind, count in sorted(kinds.items())]
    skips, counted = len(data.list_counted_skips()), len(data.list_counted_answers())
    bars += [("skips that count as wrong", skips, str(skips))] if skips else []
    bars.append(("answers that count", counted, str(counted)))
    return draw_bars(
        bars,
        title=data.name,
        subtitle="answers, by kind of exclusion",
        prefix=f"flow-{number}",
        simulated=data.simulated,
    )


def _list_steps(project: ProjectFacts, state: ReleaseState) -> Iterator[tuple[str, int]]:
    """The steps that are counted; none of imported votes."""
    if project.imported or project.started is None:
        return
    known = (
        ("invited", project.invited),
        ("consented", project.consented),
        ("started", project.started),
        ("finished", project.finished),
    )
    for name, count in known:
        if count is not None:
            yield name, count
    counted = [result.data.list_counted_answers()["annotator"] for result in state.list_results(project)]
    yield "gave an answer that counts", len({person for column in counted for person in column})
