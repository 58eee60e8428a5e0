"""The Human Evaluation Data Sheet 3.0 (Belz and Thomson 2024, arXiv 2412.07940), prefilled with what a release knows.

The names of the fields are those of the form at nlp-heds.github.io; what only people can say is left empty, and listed
under `hromada-to-fill` with a word on what belongs there. Where a programme knows a field of some of its projects only,
the field is listed too, with the names of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from exports import writers
from exports.facts import ProjectFacts
from exports.release_state import ReleaseState
from exports.results import DataSetResult

SAMPLE = "heds-sample_evaluators_design-sample"
EVALUATORS = "heds-sample_evaluators_design-evaluators"
DESIGN = "heds-sample_evaluators_design-experimental_design"
CRITERION = "heds-criteria-criterion-response_elicitation"
ETHICS = "heds-ethics"
TO_FILL: Mapping[str, str] = {
    f"{EVALUATORS}-evaluators-expertise": "experts or not, and in what",
    f"{EVALUATORS}-evaluators-known_to_authors": "whether the authors knew them",
    f"{DESIGN}-preregistered": "whether and where the study was preregistered",
    f"{DESIGN}-experimental_conditions": "where and in which surroundings people worked",
    f"{ETHICS}-special_category_data": "whether any special category of personal data was collected",
    f"{ETHICS}-impact_assessments": "any assessment of the impact of the study",
    **dict.fromkeys(
        [f"{DESIGN}-quality_assurance-method-{number}" for number in range(1, 8)],
        "tick what applies; the description says what was done",
    ),
    **dict.fromkeys(
        [f"{DESIGN}-evaluator_freedom-{number}" for number in range(1, 6)], "tick how freely people could work"
    ),
    f"{CRITERION}-effect_size_method": "the effect size, where one is reported",
}
"""The fields that a release does not know, with what belongs there."""
PERSONAL_DATA = (
    "Of the annotators the files hold keyed pseudonyms, their answers and times, and counts of what they said about"
    " themselves, in which cells under 3 people are suppressed."
)
AGREEMENT = "agreement.json names every coefficient and how it was computed."
NO_AGREEMENT = "Not measured: no coefficient could be computed."
NO_REPEATS = "Not measured: no repeated answer can be compared."
REPEATS = "The share of repeated items that got the same answer from the same annotator."
IF_EMPTY: Mapping[str, str] = {
    f"{SAMPLE}-number_of_system_outputs": "how many items or outputs people were given",
    f"{SAMPLE}-system_output_selection": "how the items were chosen, and from what",
    f"{SAMPLE}-statistical_power-method": "how the number of items and of answers was chosen",
    f"{SAMPLE}-statistical_power-value": "the precision or power that was planned",
    f"{SAMPLE}-statistical_power-script": "where the computation of the precision or power can be found",
    f"{EVALUATORS}-number_of_evaluators": "how many people answered",
    f"{EVALUATORS}-evaluators-payment": "whether, how and how much people were paid",
    f"{EVALUATORS}-evaluators-are_authors": "whether authors were among those who answered",
    f"{EVALUATORS}-recruitment_method": "how people were found",
    f"{EVALUATORS}-training_practice": "how people were trained and qualified",
    f"{EVALUATORS}-characteristics": "who they are: first language, region, age, education, as far as it is known",
    f"{DESIGN}-collection_method": "by which program or service the answers were collected",
    f"{DESIGN}-quality_assurance-description": "what was done to assure the quality of the answers",
    f"{DESIGN}-what_evaluators_see-link": "a link to what people saw",
    f"{DESIGN}-what_evaluators_see-description": "what people saw: instructions, examples, items, screens",
    f"{CRITERION}-response_aggregation": "how the answers were aggregated",
    f"{CRITERION}-inter_annotator-agreement": "whether and how agreement between people was measured",
    f"{CRITERION}-inter_annotator-agreement_score": "the agreement between people, where it was measured",
    f"{CRITERION}-intra_annotator-intra_annotator_agreement": "whether and how it was measured that answers repeat",
    f"{CRITERION}-intra_annotator-intra_annotator_agreement_score": "that agreement, where it was measured",
    f"{ETHICS}-review_body": "which body reviewed the study, or that none did and why",
    f"{ETHICS}-personal_data": "whether personal data were collected, and how they are kept",
}
"""The fields that a release knows where the facts have them, with what belongs there where they do not."""

Said = Mapping[str, str]
"""What is to be said, by the name of a project or data set; an empty text is not known."""


def build_heds_file(state: ReleaseState) -> str:
    """Build heds.json: the fields of the form by name."""
    said = {**_say_of_projects(state), **_say_of_results(state)}
    filled = {name: _join(parts) for name, parts in said.items()}
    open_fields = {
        name: _name_gaps(IF_EMPTY[name], parts) for name, parts in said.items() if not parts or "" in parts.values()
    }
    return writers.format_json(filled | dict.fromkeys(TO_FILL, "") | {"hromada-to-fill": open_fields | dict(TO_FILL)})


def _say_of_projects(state: ReleaseState) -> dict[str, Said]:
    """What is to be said of each project, by field."""
    sayings: Mapping[str, Callable[[ProjectFacts], str]] = {
        f"{SAMPLE}-number_of_system_outputs": lambda one: _count_items(state, one),
        f"{SAMPLE}-system_output_selection": _describe_selection,
        f"{SAMPLE}-statistical_power-method": lambda project: project.plan.words if project.plan else "",
        f"{SAMPLE}-statistical_power-value": _describe_half_width,
        f"{SAMPLE}-statistical_power-script": _describe_script,
        f"{EVALUATORS}-number_of_evaluators": lambda one: _count_people(state, one),
        f"{EVALUATORS}-evaluators-payment": _describe_pay,
        f"{EVALUATORS}-evaluators-are_authors": lambda one: _describe_insiders(state, one),
        f"{EVALUATORS}-recruitment_method": lambda project: project.stated.get("recruitment", ""),
        f"{EVALUATORS}-training_practice": _describe_training,
        f"{EVALUATORS}-characteristics": _describe_characteristics,
        f"{DESIGN}-collection_method": lambda project: ", ".join(
            name for name in project.platforms if name != "import"
        ),
        f"{DESIGN}-quality_assurance-description": _describe_quality,
        f"{DESIGN}-what_evaluators_see-link": lambda project: f"texts/{project.name}/" if _knows_texts(project) else "",
        f"{DESIGN}-what_evaluators_see-description": lambda one: _describe_screens(state, one),
        f"{ETHICS}-review_body": lambda project: project.stated.get("ethics", ""),
        f"{ETHICS}-personal_data": lambda _one: PERSONAL_DATA,
    }
    return {
        name: {project.name: describe(project) for project in state.facts.projects}
        for name, describe in sayings.items()
    }


def _say_of_results(state: ReleaseState) -> dict[str, Said]:
    """What is to be said of each data set that has answers, by field."""
    sayings: Mapping[str, Callable[[DataSetResult], str]] = {
        "response_aggregation": _describe_aggregation,
        "inter_annotator-agreement": lambda one: AGREEMENT if _describe_agreement(one) else NO_AGREEMENT,
        "inter_annotator-agreement_score": lambda one: _describe_agreement(one) or NO_AGREEMENT,
        "intra_annotator-intra_annotator_agreement": _describe_repeats,
        "intra_annotator-intra_annotator_agreement_score": _describe_self_agreement,
    }
    return {
        f"{CRITERION}-{name}": {result.data.name: describe(result) for result in state.results}
        for name, describe in sayings.items()
    }


def _join(said: Said) -> str:
    """What is to be said: once where all say the same, else with their names; numbers always have names."""
    values = set(said.values()) or {""}
    if len(said) == 1 or (len(values) == 1 and not any(value[:1].isdecimal() for value in values)):
        return values.pop()
    return "; ".join(f"{name}: {words}" for name, words in said.items() if words)


def _name_gaps(what: str, said: Said) -> str:
    """What belongs into a field, and of which projects or data sets it is missing where it is known of others."""
    gaps = [name for name, words in said.items() if not words]
    return what if len(gaps) == len(said) else f"{what} (missing for {', '.join(gaps)})"


def _count_items(state: ReleaseState, project: ProjectFacts) -> str:
    results = state.list_results(project)
    return str(len(results[0].data.items)) if results else "0"


def _count_people(state: ReleaseState, project: ProjectFacts) -> str:
    results = state.list_results(project)
    return str(results[0].data.list_counted_answers()["annotator"].nunique()) if results else "0"


def _describe_selection(project: ProjectFacts) -> str:
    frames = [frame for frame in project.frames if frame.pool == "main"]
    if not frames:
        return "" if project.imported else "all items of the file"
    return "; ".join(f"{frame.n_drawn} of {frame.n_candidates}, {frame.method}, seed {frame.seed}" for frame in frames)


def _describe_half_width(project: ProjectFacts) -> str:
    plan = project.plan
    return "" if plan is None or plan.half_width is None else f"half-width {plan.half_width:.4f} at {plan.share} right"


def _describe_script(project: ProjectFacts) -> str:
    if project.plan is None or project.plan.half_width is None:
        return ""
    return "`hromada plan` computes it; plan_achieved.csv has what was planned and what was reached."


def _describe_pay(project: ProjectFacts) -> str:
    pay = project.pay
    parts = [project.stated.get("pay", "")]
    if pay is not None:
        parts.append(f"promised: {pay.scheme}" if pay.scheme else "")
        if pay.hourly_median is not None:
            parts.append(f"median of an active hour {pay.hourly_median:g} {pay.currency} ({pay.n_paid} people paid)")
    return "; ".join(part for part in parts if part)


def _describe_insiders(state: ReleaseState, project: ProjectFacts) -> str:
    if project.imported:
        return ""
    counted = [result.data.list_counted_answers() for result in state.list_results(project)[:1]]
    number = sum(rows.loc[rows["insider"].eq(other=True), "annotator"].nunique() for rows in counted)
    return f"{number} of those who answered marked as members of the team"


def _describe_training(project: ProjectFacts) -> str:
    if project.imported:
        return ""
    number = len(project.training_items)
    shown = "the gold and an explanation" if project.training_explains else "the gold"
    training = f"training items: {number}, each answer followed by {shown}" if number else "no training items"
    stage = project.qualification
    if stage is None:
        return training
    return f"{training}; qualification: {stage.rule} ({stage.n_passed} of {stage.n_tried} passed)"


def _describe_characteristics(project: ProjectFacts) -> str:
    told = "demographics.csv has what they said about themselves" if project.profile else ""
    return "; ".join(part for part in (project.stated.get("population", ""), told) if part)


def _describe_quality(project: ProjectFacts) -> str:
    parts = [*project.rules, *([f"control items: {project.controls}"] if project.controls else [])]
    parts += [f"repeats: {project.repeats}"] if project.repeats else []
    if not parts and not project.imported:
        return "no quality rules, control items or repeats"
    return "; ".join(parts)


def _knows_texts(project: ProjectFacts) -> bool:
    """Whether the texts that people read are in the files; what people saw elsewhere is not known."""
    return bool(project.texts) and not project.imported


def _describe_screens(state: ReleaseState, project: ProjectFacts) -> str:
    if not _knows_texts(project):
        return ""
    items = "" if state.benchmark is None else "; benchmark/ has the items of the tasks"
    return f"texts/ has every version of the texts that people read, verbatim{items}"


def _describe_aggregation(result: DataSetResult) -> str:
    consensus = result.consensus
    return "" if consensus is None else f"{consensus.method}; a tie: {consensus.ties}"


def _describe_agreement(result: DataSetResult) -> str:
    rows = () if result.agreement is None else result.agreement.headline
    values = ", ".join(f"{row.name} {row.value:z.4f}" for row in rows if row.value is not None and not row.of)
    return values if result.data.sample is None or not values else f"{values}; {result.data.sample.words}"


def _describe_repeats(result: DataSetResult) -> str:
    own = result.self_agreement
    return NO_REPEATS if own is None or own.percent is None else REPEATS


def _describe_self_agreement(result: DataSetResult) -> str:
    own = result.self_agreement
    if own is None or own.percent is None:
        return NO_REPEATS
    return f"{own.percent:.4f} of {own.n_repeats} repeats by {own.n_annotators} annotators"
