"""The sentences of the paragraph in English and Ukrainian, and nouns after numbers in both."""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, str]

NOUNS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "en": {
        "person": ("person", "people", "people"),
        "answer": ("answer", "answers", "answers"),
        "item": ("item", "items", "items"),
    },
    "uk": {
        "person": ("людина", "людини", "людей"),
        "answer": ("відповідь", "відповіді", "відповідей"),
        "item": ("завдання", "завдання", "завдань"),
    },
}
"""A noun after one, a few (2–4) and many; English has two forms."""

SENTENCES: Mapping[str, Words] = {
    "en": {
        "opening": "{title}: {items} with {answers} that count, by {people}.",
        "recruitment": "People were recruited as follows: {value}.",
        "no recruitment": "The recruitment is not declared.",
        "population": "They stand for: {value}.",
        "no population": "The population is not declared.",
        "pay": "Pay: {value}.",
        "no pay": "The pay is not declared.",
        "ethics": "Ethics review: {value}.",
        "no ethics": "An ethics review is not declared.",
        "ai_use": "Use of language models and search engines: {value}.",
        "no ai_use": "Whether people might use language models is not declared.",
        "stimulus_differences": "What people saw and models get differs as follows: {value}.",
        "no stimulus_differences": "Differences between what people saw and what models get are not declared.",
        "imported": "Their answers were collected elsewhere and imported; consent, training and screens were not seen.",
        "consent": "Everybody agreed to the consent text before the first item.",
        "no consent": "No consent was asked for.",
        "training": "The training items, {number} in number, showed the right answer after each.",
        "no training": "There was no training.",
        "qualification": "To qualify, {rule} had to be right: {passed} of {tried} passed.",
        "no qualification": "There was no qualification.",
        "overlap": "Each item was to have {planned} answers or skips; it has {least} to {most} (median {median}).",
        "unplanned overlap": "An item has {least} to {most} answers (median {median}).",
        "nothing excluded": "Rules excluded no answer.",
        "excluded": "Rules excluded {number} answers: {reasons}; {fixed}.",
        "fixed": "the rules were fixed before the first answer",
        "not fixed": "the rules were not fixed before the first answer",
        "unknown when fixed": "when the rules were made is not known",
        "skips": "Skips that count as wrong: {number}.",
        "plan": "A half width of {half_width} points was planned.",
        "no plan": "No precision was planned.",
        "agreement": "Agreement in {name}: {values}.",
        "krippendorff_alpha_nominal": "Krippendorff’s α",
        "percent_agreement_chance_corrected_per_item": "agreement corrected for chance item by item",
        "percent_agreement": "share of equal pairs",
        "score": "In {name}, {value} % of single answers are right {interval}, by {people} on {items}.",
        "no score": "{name} has no gold that people could be scored against.",
        "majority": "The majority is right on {value} % of the items ({ties} ties count as wrong).",
        "ceiling": "By a review of the gold, {value} % of it can be reached.",
        "mean": "Over all tasks the mean of single answers is {value} % {interval}.",
        "model": "{model} has {value} % in {name}; people less the model: {difference} points {interval}.",
        "interval": "(95 % interval for new people on new items: {low} to {high})",
        "no interval": "(no interval for new people)",
    },
    "uk": {
        "opening": "{title}: {items}, {answers}, що зараховано, {people}.",
        "recruitment": "Учасників знайшли так: {value}.",
        "no recruitment": "Як знайшли учасників, не вказано.",
        "population": "Вони представляють: {value}.",
        "no population": "Кого вони представляють, не вказано.",
        "pay": "Оплата: {value}.",
        "no pay": "Оплату не вказано.",
        "ethics": "Етична експертиза: {value}.",
        "no ethics": "Етичну експертизу не вказано.",
        "ai_use": "Використання мовних моделей і пошуку: {value}.",
        "no ai_use": "Чи можна було користуватися мовними моделями, не вказано.",
        "stimulus_differences": "Відмінності між тим, що бачили люди й отримують моделі: {value}.",
        "no stimulus_differences": "Відмінності між тим, що бачили люди й отримують моделі, не вказано.",
        "imported": "Відповіді зібрано деінде й імпортовано; згоди, навчання та екранів тут не бачили.",
        "consent": "Усі погодилися з текстом згоди до першого завдання.",
        "no consent": "Згоди не питали.",
        "training": "У навчанні, де завдань {number}, після кожної відповіді показували правильну.",
        "no training": "Навчання не було.",
        "qualification": "Щоб пройти відбір, треба було відповісти правильно: {rule}; пройшли {passed} з {tried}.",
        "no qualification": "Відбору не було.",
        "overlap": "Планували відповідей або пропусків на завдання: {planned}; є від {least} до {most} (медіана {median}).",
        "unplanned overlap": "На завдання припадає від {least} до {most} відповідей (медіана {median}).",
        "nothing excluded": "Правила не виключили жодної відповіді.",
        "excluded": "Правила виключили відповідей: {number}; причини: {reasons}; {fixed}.",
        "fixed": "правила встановлено до першої відповіді",
        "not fixed": "правила встановлено не до першої відповіді",
        "unknown when fixed": "коли встановлено правила, невідомо",
        "skips": "Пропусків, що рахуються як помилки: {number}.",
        "plan": "Планували половину інтервалу {half_width} пункту.",
        "no plan": "Точності не планували.",
        "agreement": "Узгодженість у {name}: {values}.",
        "krippendorff_alpha_nominal": "α Кріппендорфа",
        "percent_agreement_chance_corrected_per_item": "узгодженість із поправкою на випадковість у кожному завданні",
        "percent_agreement": "частка однакових пар",
        "score": "У {name} правильні {value} % окремих відповідей {interval}; відповідали {people}, {items}.",
        "no score": "У {name} немає еталона, за яким можна оцінити людей.",
        "majority": "Більшість має рацію у {value} % завдань (нічиїх, що рахуються як помилки: {ties}).",
        "ceiling": "За перевіркою еталона досяжні {value} %.",
        "mean": "У середньому за всіма задачами правильні {value} % окремих відповідей {interval}.",
        "model": "{model} має {value} % у {name}; люди мінус модель: {difference} пункту {interval}.",
        "interval": "(95 % інтервал для нових людей і нових завдань: від {low} до {high})",
        "no interval": "(інтервалу для нових людей немає)",
    },
}


def count_noun(language: str, number: int, noun: str) -> str:
    """A number with its noun: 1 item, 2 items; 1 завдання, 3 людини, 5 людей, 21 людина."""
    one, few, many = NOUNS[language][noun]
    if language == "en":
        return f"{number} {one if number == 1 else few}"
    if number % 10 == 1 and number % 100 != 11:
        return f"{number} {one}"
    is_few = number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14)
    return f"{number} {few if is_few else many}"
