"""The sentences of the paragraph in English and Ukrainian, and nouns after numbers."""

from __future__ import annotations

from collections.abc import Mapping

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
        "krippendorff_alpha_nominal": "Krippendorff’s α",
        "percent_agreement_chance_corrected_per_item": "agreement corrected for chance item by item",
        "percent_agreement": "share of equal pairs",
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
        "krippendorff_alpha_nominal": "α Кріппендорфа",
        "percent_agreement_chance_corrected_per_item": "узгодженість із поправкою на випадковість у кожному завданні",
        "percent_agreement": "частка однакових пар",
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
