"""The Human Evaluation Data Sheet 3.0 (Belz and Thomson 2024, arXiv 2412.07940), prefilled with what a release knows.

The names of the fields are those of the form at nlp-heds.github.io; what only people can say is left empty, and listed
under `hromada-to-fill` with a word on what belongs there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from exports import writers
from exports.facts import ProjectFacts
from exports.release_state import ReleaseState

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


def build_heds_file(state: ReleaseState) -> str:
    """Build heds.json: the fields of the form by name."""
    filled = {
        f"{SAMPLE}-number_of_system_outputs": _say(state, lambda one: _count_items(state, one)),
        f"{SAMPLE}-system_output_selection": _say(state, _describe_selection),
        f"{SAMPLE}-statistical_power-method": _say(state, lambda one: one.plan.words if one.plan else ""),
        f"{SAMPLE}-statistical_power-value": _say(state, _describe_half_width),
        f"{SAMPLE}-statistical_power-script": "hromada plan; plan_achieved.csv has what was planned and reached.",
        f"{EVALUATORS}-number_of_evaluators": _say(state, lambda one: _count_people(state, one)),
        f"{EVALUATORS}-evaluators-payment": _say(state, _describe_pay),
        f"{EVALUATORS}-evaluators-are_authors": _say(state, lambda one: _describe_insiders(state, one)),
        f"{EVALUATORS}-recruitment_method": _say(state, lambda one: one.declared.get("recruitment", "")),
        f"{EVALUATORS}-training_practice": _say(state, _describe_training),
        f"{EVALUATORS}-characteristics": _say(state, lambda one: one.declared.get("population", "")),
        f"{DESIGN}-collection_method": _say(state, lambda one: ", ".join(one.platforms)),
        f"{DESIGN}-quality_assurance-description": _say(state, _describe_quality),
        f"{DESIGN}-what_evaluators_see-link": "texts/",
        f"{DESIGN}-what_evaluators_see-description": "texts/ has every text verbatim; benchmark/ every stimulus.",
        f"{CRITERION}-response_aggregation": f"{state.inputs.method}; a tie: {state.inputs.ties}",
        f"{CRITERION}-inter_annotator-agreement": "agreement.json names every coefficient and how it was computed.",
        f"{CRITERION}-inter_annotator-agreement_score": "; ".join(_list_agreement(state)),
        f"{CRITERION}-intra_annotator-intra_annotator_agreement": "The share of repeated items with the same answer.",
        f"{CRITERION}-intra_annotator-intra_annotator_agreement_score": "; ".join(_list_self_agreement(state)),
        f"{ETHICS}-review_body": _say(state, lambda one: one.declared.get("ethics", "")),
        f"{ETHICS}-personal_data": "Keyed pseudonyms alone; cells of demographics under 3 people are suppressed.",
    }
    empty = {name: "not known to hromada" for name, value in filled.items() if not value} | dict(TO_FILL)
    return writers.format_json(filled | dict.fromkeys(TO_FILL, "") | {"hromada-to-fill": empty})


def _say(state: ReleaseState, describe: Callable[[ProjectFacts], str]) -> str:
    """What is to be said of each project: once where all say the same, else with their names."""
    said = {project.name: describe(project) for project in state.facts.projects}
    values = set(said.values())
    if len(values) == 1:
        return values.pop()
    return "; ".join(f"{name}: {words}" for name, words in said.items() if words)


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
    return "" if plan is None or plan.half_width is None else f"half width {plan.half_width:.4f} at {plan.share} right"


def _describe_pay(project: ProjectFacts) -> str:
    scheme = "" if project.pay is None else f" ({project.pay.scheme})"
    return f"{project.declared.get('pay', '')}{scheme}".strip()


def _describe_insiders(state: ReleaseState, project: ProjectFacts) -> str:
    if project.imported:
        return ""
    counted = [result.data.list_counted_answers() for result in state.list_results(project)[:1]]
    number = sum(rows.loc[rows["insider"].eq(other=True), "annotator"].nunique() for rows in counted)
    return f"{number} members of the team among those who answered"


def _describe_training(project: ProjectFacts) -> str:
    if project.imported:
        return ""
    number = len(project.training_items)
    training = f"{number} training items with the gold shown after each" if number else "no training items"
    stage = project.qualification
    return training if stage is None else f"{training}; qualification: {stage.rule}"


def _describe_quality(project: ProjectFacts) -> str:
    parts = [*project.rules, *([f"control items: {project.controls}"] if project.controls else [])]
    return "; ".join([*parts, *([f"repeats: {project.repeats}"] if project.repeats else [])])


def _list_agreement(state: ReleaseState) -> Iterator[str]:
    for result in state.results:
        rows = () if result.agreement is None else result.agreement.headline
        known = [f"{row.name} {row.value:.4f}" for row in rows if row.value is not None and not row.of]
        if known:
            yield f"{result.data.name}: {', '.join(known)}"


def _list_self_agreement(state: ReleaseState) -> Iterator[str]:
    for result in state.results:
        own = result.self_agreement
        if own is not None and own.percent is not None:
            yield f"{result.data.name}: {own.percent:.4f} of {own.n_repeats} repeats"
