"""A paragraph for the paper, in English or Ukrainian: who answered what, how, and what came out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from aggregation.comparison.model_differences import ModelDifference
from aggregation.findings import Finding
from aggregation.placeholders import is_unknown
from aggregation.preferences.turned_pairs import list_clearest
from aggregation.scores.performance import Score, Unit
from exports.facts import ProjectFacts
from exports.pages.localization import show_finding, translate, use_language
from exports.panel_tables import PanelRow, list_headline_differences, list_headline_rows
from exports.paper.formats import escape_markdown
from exports.paper.opinions import describe_opinions
from exports.paper.result_tables import LEAST_P, find_task_means
from exports.paper.sentences import SENTENCES, Words, count_noun
from exports.release_state import ReleaseState
from exports.results import DataSetResult

Language = Literal["en", "uk"]
Ends = tuple[float | None, float | None]
FEW_PEOPLE = ("few-people-panel", "one-person-panel")
"""The codes of the reason that there are too few people to say anything of new ones."""
FEW_IN_ONE = "few-people-in-one"
"""The code of the same reason for a difference between two panels."""
MOST_PAIRS, MOST_SYSTEMS = 3, 6
"""Pairs of systems whose win rates are named, the clearest ones, and systems of an order."""
MOST_UNKNOWN_WORDS = 3
"""A declared fact of no more words that says that it is not known is said in the paragraph's language."""
_COMPARISON, _INTERVAL = re.compile(r"(?<=\s)\\([<>])(?=[\s\d])"), re.compile(r"\\\[([−\d.,–]+)\\\](?!\()")
"""Escaped signs that are no markup: comparisons, and the brackets of intervals."""
_BEGINS_BLOCK = re.compile(r"^(\d+(?=[.)]\s)|(?=[-+]\s))")
SHARES_OF_EQUAL_ANSWERS = ("percent_agreement", "exact_sets")
"""What stands beside the headline coefficient: it is corrected for chance, these are not."""


def write_paragraph(state: ReleaseState, language: Language, *, stamp: str = "") -> str:
    """Write the paragraph; with a stamp in its first line, where there is one.

    Of a programme, what all projects share is said once, and what differs with the names of the projects.
    """
    words = SENTENCES[language]
    with use_language(language):
        head = f"**{' · '.join(map(translate, stamp.split(' · ')))}**\n\n" if stamp else ""
    sentences = [
        _open_paragraph(state, words),
        *(_say_of_all(state, words, describe) for describe in _PROJECT_SENTENCES),
        *_say_scores(state, words),
        *_say_models(state, words),
        *_say_judges(state, words),
    ]
    return head + _escape(" ".join(sentence for sentence in sentences if sentence)) + "\n"


def _escape(text: str) -> str:
    """The text in Markdown: what organisers wrote is no markup, nor does it begin a list."""
    escaped = _INTERVAL.sub(r"[\1]", _COMPARISON.sub(r"\1", escape_markdown(text)))
    return _BEGINS_BLOCK.sub(r"\1\\", escaped)


def _open_paragraph(state: ReleaseState, words: Words) -> str:
    counted = [result.data.list_counted_answers() for result in state.results]
    first = [own[0] for project in state.facts.projects if (own := state.list_results(project))]
    n_people = len({name for rows in counted for name in rows["annotator"]})
    n_answers, n_items = sum(map(len, counted)), sum(len(result.data.items) for result in first)
    return words["opening"].format(
        title=state.facts.title,
        people=count_noun(n_people, "person"),
        answers=count_noun(n_answers, "answer"),
        items=count_noun(n_items, "item"),
        n_people=n_people,
        n_answers=n_answers,
        n_items=n_items,
    )


def _say_of_all(state: ReleaseState, words: Words, describe: Callable[[ProjectFacts, ReleaseState, Words], str]) -> str:
    """A sentence of every project: once where all say the same, else after the names of those that share it."""
    said: dict[str, list[str]] = {}
    for project in state.facts.projects:
        sentence = describe(project, state, words)
        if sentence:
            said.setdefault(sentence, []).append(project.name)
    if len(said) == 1 and len(next(iter(said.values()))) == len(state.facts.projects):
        return next(iter(said))
    return " ".join(f"{', '.join(names)}: {sentence}" for sentence, names in said.items())


def _describe_declared(name: str) -> Callable[[ProjectFacts, ReleaseState, Words], str]:
    def describe(project: ProjectFacts, _state: ReleaseState, words: Words) -> str:
        value = " ".join(project.stated.get(name, "").split()).rstrip(".")
        if value and is_unknown(value) and len(value.split()) <= MOST_UNKNOWN_WORDS:
            value = words["not known"]
        return words[name].format(value=value) if value else words[f"no {name}"]

    return describe


def _describe_consent(project: ProjectFacts, _state: ReleaseState, words: Words) -> str:
    if project.imported:
        return words["imported"]
    if project.n_without_consent is None:
        return words["no consent"]
    if project.n_without_consent:
        return words["late consent"].format(answers=_count(words, project.n_without_consent, "answer"))
    return words["consent"]


def _describe_differences(project: ProjectFacts, state: ReleaseState, words: Words) -> str:
    """What the benchmark's manifest lists, then what the organiser adds to it."""
    if not project.differences:
        return _describe_declared("stimulus_differences")(project, state, words)
    with use_language(words["language"]):
        shown = map(show_finding, project.differences)
        listed = [sentence[0].lower() + sentence[1:] for sentence in shown]
    added = project.stated.get("stimulus_differences")
    sentences = [sentence.strip().rstrip(".") for sentence in (*listed, *([added] if added else []))]
    return words["stimulus_differences"].format(value="; ".join(sentences))


def _describe_hourly_pay(project: ProjectFacts, _state: ReleaseState, words: Words) -> str:
    """What an active hour was paid, where that is known."""
    if project.pay is None or project.pay.hourly_median is None:
        return ""
    rate = _write(words, f"{project.pay.hourly_median:g}")
    return words["hourly pay"].format(rate=rate, currency=project.pay.currency or "")


def _describe_screens(project: ProjectFacts, _state: ReleaseState, words: Words) -> str:
    if project.imported or not project.platforms:
        return ""
    return words["screens"].format(platforms=", ".join(project.platforms))


def _describe_preparation(project: ProjectFacts, _state: ReleaseState, words: Words) -> str:
    if project.imported:
        return ""
    training = words["no training"]
    if project.training_items:
        name = "explained training" if project.training_explains else "training"
        training = words[name].format(items=_count(words, len(project.training_items), "item"))
    stage = project.qualification
    if stage is None:
        return f"{training} {words['no qualification']}"
    qualified = words["qualification"].format(
        items=_count(words, stage.n_items, "item"), rule=stage.rule, tried=stage.n_tried, passed=stage.n_passed
    )
    return f"{training} {qualified}"


def _describe_overlap(project: ProjectFacts, state: ReleaseState, words: Words) -> str:
    results = state.list_results(project)
    if not results:
        return ""
    data = results[0].data
    per_item = data.count_places()
    if not len(per_item):
        return ""
    values = {"least": int(per_item.min()), "median": f"{per_item.median():g}", "most": int(per_item.max())}
    if data.overlap is None:
        return words["unplanned overlap"].format(**values)
    if data.sample is not None:
        on_sample = data.keep_sample().count_places()
        return words["sampled overlap"].format(
            each=_count(words, data.overlap, "answer"),
            of=_count(words, data.sample.of, "answer"),
            items=_count(words, len(data.sample.items), "item"),
            all_items=len(data.items),
            sample_least=int(on_sample.min()),
            sample_most=int(on_sample.max()),
            one_vote=_count(words, data.count_one_vote_items(), "item"),
            **values,
        )
    return words["overlap"].format(planned=_count(words, data.overlap, "answer"), **values)


def _describe_exclusions(project: ProjectFacts, state: ReleaseState, words: Words) -> str:
    results = state.list_results(project)
    rows = results[0].data.responses if results else None
    if rows is None:
        return ""
    out = rows.loc[rows["by_rule"].eq(other=True)]
    fixed = words[{True: "fixed", False: "not fixed", None: "unknown when fixed"}[project.rules_fixed_before]]
    changed = words["changed later"].format(changes="; ".join(project.post_hoc)) if project.post_hoc else ""
    if out.empty:
        return " ".join(filter(None, (words["nothing excluded"].format(fixed=fixed), changed)))
    reasons = out["excluded_reason"].value_counts()
    ordered = sorted(reasons.items(), key=lambda counted: str(counted[0]))
    listed = "; ".join(f"{reason} ({number})" for reason, number in ordered)
    answers = _count(words, len(out), "answer")
    return " ".join(filter(None, (words["excluded"].format(answers=answers, reasons=listed, fixed=fixed), changed)))


def _describe_skips(project: ProjectFacts, state: ReleaseState, words: Words) -> str:
    results = state.list_results(project)
    if project.imported or not results:
        return ""
    return words["skips"].format(number=len(results[0].data.list_counted_skips()))


def _describe_plan(project: ProjectFacts, state: ReleaseState, words: Words) -> str:
    """The planned half width, and that of the first question's score."""
    plan = project.plan
    if plan is not None and plan.half_width is None and _has_width(plan.words):
        with use_language(words["language"]):
            return words["planned"].format(plan=show_finding(plan.words))
    if plan is None or plan.half_width is None:
        return "" if project.imported else words["no plan"]
    scores = [
        result.performance["individual"].primary for result in state.list_results(project)[:1] if result.performance
    ]
    reached = words["not reached"]
    for score in scores:
        if score.ci_low is not None and score.ci_high is not None:
            reached = words["reached"].format(half_width=_percent(words, (score.ci_high - score.ci_low) / 2))
    return words["plan"].format(half_width=_percent(words, plan.half_width), reached=reached)


def _has_width(told: object) -> bool:
    """Whether a plan in words says how wide an interval will be: of a win rate, or of opinions."""
    return isinstance(told, Finding) and ("width" in told.arguments or any(map(_has_width, told.arguments.values())))


_PROJECT_SENTENCES: tuple[Callable[[ProjectFacts, ReleaseState, Words], str], ...] = (
    _describe_declared("recruitment"),
    _describe_declared("population"),
    _describe_declared("pay"),
    _describe_hourly_pay,
    _describe_declared("ethics"),
    _describe_consent,
    _describe_screens,
    _describe_preparation,
    _describe_declared("ai_use"),
    _describe_differences,
    _describe_overlap,
    _describe_exclusions,
    _describe_skips,
    _describe_plan,
)


def _say_scores(state: ReleaseState, words: Words) -> Iterator[str]:
    """Agreement and score of each data set; of a programme the mean over its tasks, and between what they vary."""
    means = find_task_means(state)
    if means is None:
        for result in state.results:
            yield _describe_agreement(result, words)
            yield from describe_opinions(result, words)
            yield from _describe_preferences(result, words)
            has_opinions = result.scale is not None or result.preference is not None
            if result.performance is not None or not has_opinions:
                yield _describe_score(result, words)
            yield from _describe_panels(result, words)
        return
    mean = means.means["individual"]
    fresh, own = mean.fresh_panel, mean.this_panel
    interval = _interval(words, (fresh.low, fresh.high), (own.low, own.high), mean.reason)
    yield words["mean"].format(value=_percent(words, mean.value), interval=interval)
    ordered = sorted(mean.task_values.items(), key=lambda task: task[1])
    (first, least), (last, most) = ordered[0], ordered[-1]
    yield words["range"].format(least=_percent(words, least), first=first, most=_percent(words, most), last=last)


def _describe_agreement(result: DataSetResult, words: Words) -> str:
    rows = () if result.agreement is None else result.agreement.headline
    named = (result.data.headline_coefficient, *SHARES_OF_EQUAL_ANSWERS)
    chosen = [row for row in rows if row.name in named and not row.of and row.value is not None]
    if not chosen:
        return words["no agreement"].format(name=result.data.name)
    parts = [
        _write(words, f"{words[row.name]} {row.value:z.3f}")
        + (
            ""
            if row.low is None or row.high is None
            else f" [{_write(words, f'{row.low:z.3f}')}–{_write(words, f'{row.high:z.3f}')}]"
        )
        for row in chosen
    ]
    of_headline = next((row for row in chosen if row.name == result.data.headline_coefficient), chosen[0])
    level = words["interval level" if of_headline.level == "interval" else of_headline.level]
    sentence = words["agreement"].format(name=result.data.name, level=level, values=", ".join(parts))
    if result.data.sample is None:
        return sentence
    n_sampled, n_items = len(result.data.sample.items), len(result.data.items)
    return f"{sentence} {words['sampled agreement'].format(items=_count(words, n_sampled, 'item'), n=n_items)}"


def _describe_score(result: DataSetResult, words: Words) -> str:
    scores = result.performance
    if scores is None:
        return words["no score"].format(name=result.data.name)
    unit = scores["individual"]
    majority = result.majority
    score = unit.primary
    sentence = words["score"].format(
        name=result.data.name,
        value=_percent(words, score.value),
        interval=_describe_interval(score, words),
        people=count_noun(unit.n_annotators, "person"),
        items=count_noun(unit.n_items, "item"),
        n_people=unit.n_annotators,
        n_items=unit.n_items,
    )
    if majority is not None and majority.primary.value is not None:
        sentence += f" {_describe_majority(majority, words)}"
        sentence += f" {words['sampled majority']}" if majority.n_items < unit.n_items and result.data.sample else ""
    return f"{sentence} {_describe_ceiling(result, words)}"


def _describe_preferences(result: DataSetResult, words: Words) -> Iterator[str]:
    """The clearest win rates and the order of systems; nothing if no texts are compared."""
    found, name = result.preference, result.data.name
    for pair in [] if found is None else list_clearest(found.pairs)[:MOST_PAIRS]:
        wins, ties, losses = pair.counts
        yield words["preferred"].format(
            name=name, one=pair.one, two=pair.two, value=_percent(words, pair.value), wins=wins, ties=ties,
            losses=losses, interval=_interval(words, pair.fresh, pair.these, pair.result.estimate.reason),
        )  # fmt: skip
    if found is None or len(found.pairs) < 2:  # two systems have an order already
        return
    ranked = found.bradley_terry.systems
    if found.bradley_terry.reason:
        yield words["no order"].format(name=name)
        return
    places = [(row.system, row.place_low or row.place, row.place_high or row.place) for row in ranked[:MOST_SYSTEMS]]
    order = ", ".join(f"{system} ({low}{'' if low == high else f'–{high}'})" for system, low, high in places)
    yield words["order"].format(name=name, order=order + (" …" if len(ranked) > MOST_SYSTEMS else ""))


def _describe_panels(result: DataSetResult, words: Words) -> Iterator[str]:
    """The score of each panel, and the differences between them; nothing where there are no panels."""
    rows = [row for row in list_headline_rows(result) if row["kind"] == "score"]
    rows = [row for row in rows if row.get("unit") in (None, "individual")]
    if rows:
        parts = "; ".join(_describe_panel(row, words) for row in rows)
        yield words["panels"].format(name=result.data.name, panels=parts)
    for row in list_headline_differences(result):
        if row["metric"] == "accuracy" and row["difference"] is not None:
            yield words["panel difference"].format(
                panel=row["panel"],
                other=row["other"],
                difference=_write(words, f"{100 * row['difference']:+z.1f}"),
                interval=_describe_panel_interval(row, words),
                items=_count(words, row["n_items"], "item"),
            )


def _describe_panel(row: PanelRow, words: Words) -> str:
    if row.get("value") is None:
        return words["unscored panel"].format(panel=row["panel"])
    return words["panel"].format(
        panel=row["panel"],
        people=_count(words, row["n_people"], "person"),
        value=_percent(words, row["value"]),
        interval=_describe_panel_interval(row, words),
    )


def _describe_panel_interval(row: PanelRow, words: Words) -> str:
    ends = (row["ci_low"], row["ci_high"]), (row["item_only_low"], row["item_only_high"])
    return _interval(words, *ends, row["reason"] or "")


def _describe_majority(unit: Unit, words: Words) -> str:
    """The score of the majority with its interval and number of votes; with ties, also the score if they are wrong."""
    votes = words["votes of majority"].format(votes=unit.title.removeprefix("majority of "))
    value, wrong = _percent(words, unit.primary.value), unit.primary.value_ties_wrong
    interval = _describe_interval(unit.primary, words)
    if wrong is None:
        return words["majority"].format(votes=votes, value=value, interval=interval)
    ties = _count(words, unit.n_ties or 0, "tie")
    wrong_value = _percent(words, wrong)
    return words["tied majority"].format(votes=votes, value=value, interval=interval, ties=ties, wrong=wrong_value)


def _describe_ceiling(result: DataSetResult, words: Words) -> str:
    if result.ceiling is None:
        return words["no ceiling"]
    share, strata = result.ceiling.ceiling, result.ceiling.strata
    if share.value is None:
        return words["unfinished ceiling"]
    return words["ceiling"].format(
        value=_percent(words, share.value),
        low=_percent(words, share.low),
        high=_percent(words, share.high),
        n=sum(stratum.n_reviewed for stratum in strata),
        m=sum(stratum.n_items for stratum in strata),
    )


def _say_models(state: ReleaseState, words: Words) -> Iterator[str]:
    if any(compared.comparison.differences for compared in state.comparisons.values()):
        yield words["models"]
    for compared in state.comparisons.values():
        for row in compared.comparison.differences:
            wanted = row.unit == "individual" and row.metric == compared.comparison.primary
            if wanted and row.kind == row.part == "all" and row.difference is not None:
                yield _describe_model(row, compared.data.name, words)


def _say_judges(state: ReleaseState, words: Words) -> Iterator[str]:
    """The verdict on each judge."""
    for compared in state.comparisons.values():
        for judge in compared.judges:
            if judge.scores:
                with use_language(words["language"]):
                    yield f"{judge.judge}, {compared.data.name}: {show_finding(judge.verdict)}"


def _describe_model(row: ModelDifference, name: str, words: Words) -> str:
    sentence = words["model"].format(
        model=row.model,
        name=name,
        value=_percent(words, row.value),
        difference=_write(words, f"{100 * (row.difference or 0.0):+z.1f}"),
        interval=_describe_interval(row, words),
        p=_describe_p(row.p_holm, words),
        above=words[f"{row.above or 'none'} above"],
    )
    return f"{sentence} {words['paired' if row.is_paired else 'unpaired'].format(number=row.n_items)}"


def _count(words: Words, number: int, noun: str) -> str:
    """A number with its noun, as the language has it."""
    return count_noun(number, noun, words["language"])


def _percent(words: Words, share: float | None) -> str:
    return "—" if share is None else _write(words, f"{100 * share:.1f}")


def _write(words: Words, number: str) -> str:
    """A number as the language writes it."""
    return number.replace(".", words["decimal"]).replace("-", "−")


def _describe_p(p: float | None, words: Words) -> str:
    if p is None:
        return words["no p"]
    return words["small p" if p < LEAST_P else "p"].format(p=_write(words, f"{max(p, LEAST_P):.3f}"))


def _describe_interval(score: Score | ModelDifference, words: Words) -> str:
    return _interval(words, (score.ci_low, score.ci_high), (score.item_only_low, score.item_only_high), score.reason)


def _interval(words: Words, fresh: Ends, own: Ends, reason: str) -> str:
    """The interval with its population; where there is none for new people, that for these people, and why."""
    if None not in fresh:
        return words["interval"].format(low=_percent(words, fresh[0]), high=_percent(words, fresh[1]))
    why = words["no reason"]
    few = _find_few(reason)
    if few is not None:
        number = int(few.arguments.get("n", 1))
        shown = count_noun(number, "person") if words["language"] == "en" else number
        name = "few people" if few.code in FEW_PEOPLE else FEW_IN_ONE
        why = words[name].format(number=shown, least=few.arguments["least"])
    if None in own:
        return words["no interval"].format(reason=why)
    return words["own interval"].format(low=_percent(words, own[0]), high=_percent(words, own[1]), reason=why)


def _find_few(reason: object) -> Finding | None:
    """The finding that people are too few, alone or among others; None if it is not there."""
    if not isinstance(reason, Finding):
        return None
    if reason.code in (*FEW_PEOPLE, FEW_IN_ONE):
        return reason
    found = (_find_few(part) for part in reason.arguments.values())
    return next((few for few in found if few is not None), None)
