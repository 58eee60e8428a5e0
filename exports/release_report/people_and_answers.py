"""Where answers and people go, from all answers to those that count, to the end; and what people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exports.facts import ProjectFacts
from exports.pages.display_text import format_count
from exports.pages.reasons import translate_reason
from exports.pages.svg import draw_bars
from exports.pages.translation import mark_text, translate
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, VerbatimText
from exports.results import DataSetResult

HOW = mark_text(
    "From every answer that was given, those that do not count are taken away, kind by kind; on what is left every"
    " number here rests. exclusions.csv has the reasons in words, human_responses.csv each answer. The second picture"
    " counts people: who was invited, agreed, began, had all there was for them, and gave an answer that counts."
)
HOW_TEXTS = mark_text(
    "The texts as people read them, each version with the number of people who worked under it or agreed to it. Each"
    " answer in human_responses.csv names its version by the hash; texts/ has the same as files."
)
NAMES = {
    "instructions": mark_text("Instructions"),
    "consent": mark_text("Consent"),
    "content_warning": mark_text("Content warning"),
}


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
                    subtitle=translate("people, from the invitation to the end"),
                    prefix=f"funnel-{number}",
                    simulated=state.simulated,
                )
            )
    return Chapter(
        id="flow", title=translate("From all answers to those that count"), how=translate(HOW), panels=tuple(panels)
    )


def _draw_flow(result: DataSetResult, number: int) -> str:
    data = result.data
    kinds = Counter(str(kind) for kind in data.exclusion_kinds().dropna())
    bars = [(translate("all answers"), len(data.responses), str(len(data.responses)))]
    bars += [
        (translate("less: {kind}", kind=translate_reason(kind)), count, f"−{count}")
        for kind, count in sorted(kinds.items())
    ]
    skips, counted = len(data.list_counted_skips()), len(data.list_counted_answers())
    bars += [(translate("skips that count as wrong"), skips, str(skips))] if skips else []
    bars.append((translate("answers that count"), counted, str(counted)))
    return draw_bars(
        bars,
        title=data.name,
        subtitle=translate("answers, by kind of exclusion"),
        prefix=f"flow-{number}",
        simulated=data.simulated,
    )


def _list_steps(project: ProjectFacts, state: ReleaseState) -> Iterator[tuple[str, int]]:
    """The steps that are counted; none of imported votes."""
    if project.imported or project.started is None:
        return
    known = (
        (translate("invited"), project.invited),
        (translate("consented"), project.consented),
        (translate("started"), project.started),
        (translate("finished"), project.finished),
    )
    for name, count in known:
        if count is not None:
            yield name, count
    counted = [result.data.list_counted_answers()["annotator"] for result in state.list_results(project)]
    yield translate("gave an answer that counts"), len({person for column in counted for person in column})


def build_text_chapter(state: ReleaseState) -> Chapter:
    """Every version of the texts, equal ones of several projects once."""
    found: dict[tuple[str, str], list[str]] = {}
    headings: dict[tuple[str, str], VerbatimText] = {}
    for project in state.facts.projects:
        for text in project.texts:
            if not text.text:
                continue
            key = (text.kind, text.sha256)
            found.setdefault(key, []).append(project.name)
            version = translate(", version {version}", version=text.version) if text.version else ""
            people = f", {format_count(text.n_people, 'person')}" if text.n_people else ""
            name = translate(NAMES[text.kind]) if text.kind in NAMES else text.kind
            heading = f"{name}{version} ({text.sha256[:12]}{people})"
            headings.setdefault(key, VerbatimText(heading, project.language, text.text))
    texts = tuple(
        own if len(state.facts.projects) == 1 else own._replace(heading=f"{own.heading}: {', '.join(found[key])}")
        for key, own in headings.items()
    )
    return Chapter(id="texts", title=translate("What people read"), how=translate(HOW_TEXTS), texts=texts)
