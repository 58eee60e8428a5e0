"""A paragraph for the paper, in English or Ukrainian: who answered what, how, and what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from aggregation.comparison.model_differences import ModelDifference
from aggregation.scores.performance import Unit
from exports.facts import ProjectFacts
from exports.paper.result_tables import find_task_means
from exports.release_state import ReleaseState
from exports.results import DataSetResult

Words = Mapping[str, str]

NOUNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "person": ("person", "people"),
        "answer": ("answer", "answers"),
        "item": ("item", "items"),
        "tie": ("tie", "ties"),
    },
    "uk": {
        "person": ("учасник", "учасники", "учасників"),
        "answer": ("відповідь", "відповіді", "відповідей"),
        "item": ("завдання", "завдання", "завдань"),
        "tie": ("нічия", "нічиї", "нічиїх"),
    },
}
"""English nouns after one and after more; Ukrainian ones after 1, 2 and 5."""

SENTENCES: Mapping[str, Words] = {
    "en": {
        "language": "en",
        "decimal": ".",
        "opening": "{title}: {items}, with {answers} counted, by {people}.",
        "recruitment": "People were recruited as follows: {value}.",
        "no recruitment": "The recruitment is not declared.",
        "population": "They stand for: {value}.",
        "no population": "The population is not declared.",
        "pay": "Pay: {value}.",
        "no pay": "The pay is not declared.",
        "hourly pay": "For an active hour they got {rate} {currency} in the median.",
        "ethics": "Ethics review: {value}.",
        "no ethics": "An ethics review is not declared.",
        "ai_use": "Use of language models and search engines: {value}.",
        "no ai_use": "Whether people might use language models is not declared.",
        "stimulus_differences": "What people saw and models get differs as follows: {value}.",
        "no stimulus_differences": "Differences between what people saw and what models get are not declared.",
        "imported": "Their answers were collected elsewhere and imported; consent, training and screens were not seen.",
        "consent": "Everybody agreed to the consent text before the first item.",
        "late consent": "{answers} came before any consent of their annotator.",
        "no consent": "No consent was asked for.",
        "screens": "People answered in {platforms}, where they saw the texts that the release holds verbatim.",
        "training": "The training had {items}; after each answer the right one was shown.",
        "explained training": "The training had {items}; after each answer the right one was shown and explained.",
        "no training": "There was no training.",
        "qualification": "Qualification: {items} by the rule “{rule}”; {passed} of {tried} passed.",
        "no qualification": "There was no qualification.",
        "overlap": "Planned for each item: {planned}, skips included; reached: {least} to {most} (median {median}).",
        "unplanned overlap": "Answers of an item, skips included: {least} to {most} (median {median}).",
        "nothing excluded": "Rules excluded no answer; {fixed}.",
        "excluded": "Rules excluded {answers}: {reasons}; {fixed}.",
        "changed later": "Changed after the start: {changes}.",
        "fixed": "the rules were fixed before the first answer",
        "not fixed": "the rules were not fixed before the first answer",
        "unknown when fixed": "when the rules were made is not known",
        "skips": "Skips that count as wrong: {number}.",
        "plan": "Planned half width of the interval for new people on new items: {half_width} points; {reached}.",
        "reached": "reached: {half_width}",
        "not reached": "there is no interval, so none was reached",
        "no plan": "No precision was planned.",
        "agreement": "Agreement in {name}, with 95 % intervals by resampling items: {values}.",
        "no agreement": "No coefficient of agreement is defined in {name}; the table of agreement says why.",
        "krippendorff_alpha_nominal": "Krippendorff’s α (nominal)",
        "krippendorff_alpha_ordinal": "Krippendorff’s α (ordinal)",
        "krippendorff_alpha_interval": "Krippendorff’s α (interval)",
        "krippendorff_alpha_ratio": "Krippendorff’s α (ratio)",
        "krippendorff_alpha_masi": "α of sets by MASI distance",
        "percent_agreement_chance_corrected_per_item": "agreement corrected for chance item by item",
        "percent_agreement": "share of equal pairs",
        "exact_sets": "share of pairs with equal sets",
        "exact_match": "share of pairs with equal texts",
        "span_f1_token": "F1 of marked words (place)",
        "span_f1_token_class": "F1 of marked words (place and class)",
        "score": "In {name}, {value} % of single answers are right {interval}, by {people} on {items}.",
        "no score": "{name} has no score; the table of results says why.",
        "votes of majority": "majority of {votes}",
        "majority": "The {votes} is right on {value} % of the items.",
        "tied majority": "The {votes} is right on {value} % of the items: it has {ties}, in which each of m answers"
        " counts 1/m; if ties count as wrong, it is {wrong} %.",
        "ceiling": "By a review of the gold, no score can honestly be above {value} %.",
        "no ceiling": "The gold was not reviewed, so the ceiling of the score is not known.",
        "unfinished ceiling": "The review of the gold gives no ceiling of the score yet.",
        "mean": "Over all tasks the mean of single answers is {value} % {interval}.",
        "range": "By task: from {least} % ({first}) to {most} % ({last}); the tables have every interval.",
        "models": "People and models were scored by the same code, and p values corrected by Holm’s method.",
        "model": "{model} has {value} % in {name}; people less the model: {difference} points {interval}; {above}.",
        "paired": "Both were scored on the same items ({number}).",
        "unpaired": "This is a published score; on which of its {number} items it is right is not known.",
        "people above": "people are above",
        "model above": "the model is above",
        "none above": "neither is shown to be above",
        "interval": "(95 % interval for new people on new items: {low} to {high})",
        "no interval": "(no interval for new people)",
    },
    "uk": {
        "language": "uk",
        "decimal": ",",
        "opening": "{title}. Учасників: {n_people}, завдань: {n_items}, зарахованих відповідей: {n_answers}.",
        "recruitment": "Учасників знайшли так: {value}.",
        "no recruitment": "Як знайшли учасників, не вказано.",
        "population": "Вони представляють: {value}.",
        "no population": "Кого вони представляють, не вказано.",
        "pay": "Оплата: {value}.",
        "no pay": "Оплату не вказано.",
        "hourly pay": "Медіана оплати за активну годину: {rate} {currency}.",
        "ethics": "Етична експертиза: {value}.",
        "no ethics": "Етичну експертизу не вказано.",
        "ai_use": "Використання мовних моделей і пошуку: {value}.",
        "no ai_use": "Чи можна було користуватися мовними моделями, не вказано.",
        "stimulus_differences": "Відмінності між тим, що бачили люди й отримують моделі: {value}.",
        "no stimulus_differences": "Відмінності між тим, що бачили люди й отримують моделі, не вказано.",
        "imported": "Відповіді зібрано деінде й імпортовано; згоди, навчання та екранів тут не бачили.",
        "consent": "Усі погодилися з текстом згоди до першого завдання.",
        "late consent": "До згоди учасника дано {answers}.",
        "no consent": "Згоди не питали.",
        "screens": "Відповідали в {platforms}; тексти, які бачили учасники, випуск містить дослівно.",
        "training": "Навчання містило {items}; після кожної відповіді показували правильну.",
        "explained training": "Навчання містило {items}; після кожної відповіді показували правильну з поясненням.",
        "no training": "Навчання не було.",
        "qualification": "Відбір: {items}, правило «{rule}»; скільки пройшло: {passed} з {tried}.",
        "no qualification": "Відбору не було.",
        "overlap": "На завдання планували {planned} разом із пропусками; є від {least} до {most} (медіана {median}).",
        "unplanned overlap": "Відповідей на завдання разом із пропусками: від {least} до {most} (медіана {median}).",
        "nothing excluded": "Правила не виключили жодної відповіді; {fixed}.",
        "excluded": "Правила виключили {answers}; причини: {reasons}; {fixed}.",
        "changed later": "Після початку змінено: {changes}.",
        "fixed": "правила встановлено до першої відповіді",
        "not fixed": "правила встановлено не до першої відповіді",
        "unknown when fixed": "коли встановлено правила, невідомо",
        "skips": "Пропусків, що рахуються як помилки: {number}.",
        "plan": "Запланована половина ширини інтервалу для нових людей і завдань: {half_width} пункту; {reached}.",
        "reached": "досягнуто: {half_width}",
        "not reached": "інтервалу немає, тож її не досягнуто",
        "no plan": "Точності не планували.",
        "agreement": "Узгодженість у {name} з 95 % інтервалами за вибірками завдань: {values}.",
        "no agreement": "Коефіцієнти узгодженості у {name} не визначені; причину названо в таблиці узгодженості.",
        "krippendorff_alpha_nominal": "α Кріппендорфа (номінальна)",
        "krippendorff_alpha_ordinal": "α Кріппендорфа (порядкова)",
        "krippendorff_alpha_interval": "α Кріппендорфа (інтервальна)",
        "krippendorff_alpha_ratio": "α Кріппендорфа (відношень)",
        "krippendorff_alpha_masi": "α наборів за відстанню MASI",
        "percent_agreement_chance_corrected_per_item": "узгодженість із поправкою на випадковість у кожному завданні",
        "percent_agreement": "частка однакових пар",
        "exact_sets": "частка пар з однаковими наборами",
        "exact_match": "частка пар з однаковими текстами",
        "span_f1_token": "F1 позначених слів (місце)",
        "span_f1_token_class": "F1 позначених слів (місце й клас)",
        "score": "У {name} правильні {value} % окремих відповідей {interval}; людей: {n_people}, завдань: {n_items}.",
        "no score": "Оцінки для {name} немає; причину названо в таблиці результатів.",
        "votes of majority": "Більшість із {votes}",
        "majority": "{votes} має рацію у {value} % завдань.",
        "tied majority": "{votes} має рацію у {value} % завдань: у неї {ties}, де кожна з m рівних відповідей рахується"
        " як 1/m; якщо нічиї вважати помилками, то {wrong} %.",
        "ceiling": "За перевіркою еталона жодна чесна оцінка не може перевищити {value} %.",
        "no ceiling": "Еталон не перевіряли, тож найвища можлива оцінка невідома.",
        "unfinished ceiling": "Перевірка еталона ще не дає найвищої можливої оцінки.",
        "range": "За задачами: від {least} % ({first}) до {most} % ({last}); усі інтервали й узгодженість у таблицях.",
        "mean": "У середньому за всіма задачами правильні {value} % окремих відповідей {interval}.",
        "models": "Людей і моделі оцінено тим самим кодом, значення p скориговано за методом Голма.",
        "model": "{model} має {value} % у {name}; люди мінус модель: {difference} пункту {interval}; {above}.",
        "paired": "Обох оцінено на тих самих завданнях ({number}).",
        "unpaired": "Це опублікована оцінка; на яких із завдань ({number}) модель має рацію, невідомо.",
        "people above": "люди вище",
        "model above": "модель вище",
        "none above": "не показано, хто вище",
        "interval": "(95 % інтервал для нових людей і нових завдань: від {low} до {high})",
        "no interval": "(інтервалу для нових людей немає)",
    },
}


def count_noun(number: int, noun: str, language: str = "en") -> str:
    """A number with its noun in English (1 item, 2 items) or Ukrainian (1 відповідь, 2 відповіді, 5 відповідей)."""
    forms = NOUNS[language][noun]
    return f"{number} {forms[_choose_form(number, language)]}"


def _choose_form(number: int, language: str) -> int:
    """The place of the form among those of a noun."""
    if language == "en":
        return int(number != 1)
    if number % 10 == 1 and number % 100 != 11:
        return 0
    return 1 if 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14 else 2


Language = Literal["en", "uk"]
SHARES_OF_EQUAL_ANSWERS = ("percent_agreement", "exact_sets")
"""What stands beside the headline coefficient: it is corrected for chance, these are not."""


def write_paragraph(state: ReleaseState, language: Language, *, stamp: str = "") -> str:
    """Write the paragraph; with a stamp in its first line, where there is one.

    Of a programme, what all projects share is said once, and what differs with the names of the projects.
    """
    words = SENTENCES[language]
    head = f"**{stamp}**\n\n" if stamp else ""
    sentences = [
        _open_paragraph(state, words),
        *(_say_of_all(state, words, describe) for describe in _PROJECT_SENTENCES),
        *_say_scores(state, words),
        *_say_models(state, words),
    ]
    return head + " ".join(sentence for sentence in sentences if sentence) + "\n"


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
        value = " ".join(project.declared.get(name, "").split()).rstrip(".")
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
    _describe_declared("stimulus_differences"),
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
            yield _describe_score(result, words)
        return
    mean = means.means["individual"]
    interval = _interval(words, mean.fresh_panel.low, mean.fresh_panel.high)
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
    return words["agreement"].format(name=result.data.name, values=", ".join(parts))


def _describe_score(result: DataSetResult, words: Words) -> str:
    scores = result.performance
    if scores is None:
        return words["no score"].format(name=result.data.name)
    unit = scores["individual"]
    majority = {unit.unit: unit for unit in scores.units}.get("majority")
    score = unit.primary
    sentence = words["score"].format(
        name=result.data.name,
        value=_percent(words, score.value),
        interval=_interval(words, score.ci_low, score.ci_high),
        people=count_noun(unit.n_annotators, "person"),
        items=count_noun(unit.n_items, "item"),
        n_people=unit.n_annotators,
        n_items=unit.n_items,
    )
    if majority is not None and majority.primary.value is not None:
        sentence += f" {_describe_majority(majority, words)}"
    return f"{sentence} {_describe_ceiling(result, words)}"


def _describe_majority(unit: Unit, words: Words) -> str:
    """The score of the majority with its number of votes; where it has ties, also the score if they are wrong."""
    votes = words["votes of majority"].format(votes=unit.title.removeprefix("majority of "))
    value, wrong = _percent(words, unit.primary.value), unit.primary.value_ties_wrong
    if wrong is None:
        return words["majority"].format(votes=votes, value=value)
    return words["tied majority"].format(
        votes=votes, value=value, ties=_count(words, unit.n_ties, "tie"), wrong=_percent(words, wrong)
    )


def _describe_ceiling(result: DataSetResult, words: Words) -> str:
    if result.ceiling is None:
        return words["no ceiling"]
    value = result.ceiling.ceiling.value
    return words["unfinished ceiling"] if value is None else words["ceiling"].format(value=_percent(words, value))


def _say_models(state: ReleaseState, words: Words) -> Iterator[str]:
    if state.comparisons:
        yield words["models"]
    for compared in state.comparisons.values():
        for row in compared.comparison.differences:
            wanted = row.unit == "individual" and row.metric == compared.comparison.primary
            if wanted and row.kind == row.part == "all" and row.difference is not None:
                yield _describe_model(row, compared.data.name, words)


def _describe_model(row: ModelDifference, name: str, words: Words) -> str:
    sentence = words["model"].format(
        model=row.model,
        name=name,
        value=_percent(words, row.value),
        difference=_write(words, f"{100 * (row.difference or 0.0):+z.1f}"),
        interval=_interval(words, row.ci_low, row.ci_high),
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


def _interval(words: Words, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return words["no interval"]
    return words["interval"].format(low=_percent(words, low), high=_percent(words, high))
