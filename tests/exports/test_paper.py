"""Tables and paragraphs for a paper: whole texts, escapes, gaps with their reasons, several projects, models."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from _results import change_result

from aggregation.comparison.gold_review import CeilingEstimate, StratumCounts, WeightedShare
from aggregation.comparison.model_differences import PublishedScore
from aggregation.findings import Finding
from exports import paper
from exports.facts import Pay, PlanFact
from exports.model_answers import ReadAnswers, ReadModels
from exports.paper import paragraph
from exports.paper.formats import Footnotes, PaperTable, format_markdown
from exports.paper.latex import escape_latex, format_latex
from exports.paper.sentences import SENTENCES, count_noun
from exports.release import ReleaseFolder
from exports.release_state import ReleaseState, compute_release_state

ADJUDICATED = ("adjudications.csv", "gold_review.csv", "reviews.csv")
CORRECTED = tuple(f"stories.{kind}" for kind in ("csv", "jsonl", "parquet", "json", "html"))
FILTERED = (*(f"items.{kind}" for kind in ("csv", "jsonl", "parquet", "json", "html")), "removal_reasons.csv")


@pytest.fixture(scope="module")
def state(make_release: Any) -> ReleaseState:
    return compute_release_state(make_release.inputs())


def test_tables_are_escaped() -> None:
    notes = Footnotes()
    table = PaperTable(
        name="t",
        of="a_b c",
        caption="100 % of a_b c & d",
        heads=("x|y", "#", "n"),
        rows=(("«a_b»", f"1 < 2{notes.mark('why_so')}", "1"), ("\\", "*", "2")),
        notes=notes.notes,
    )
    latex, markdown = format_latex(table), format_markdown(table)
    assert r"\caption[{100~\% of a\_b c}]{100~\% of a\_b c \& d}" in latex
    assert r"\label{tab:a-b-c:t}" in latex
    assert r"\hromadaTitle{2}{\textbf{«a\_b»}} \\" in latex
    assert r"1 \textless{} 2\textsuperscript{a} & 1 \\" in latex
    assert r"\textsuperscript{a} why\_so\par" in latex
    assert r"\textbf{\textbackslash{}}" in latex
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    for name in ("table", "tabular*"):
        assert latex.count(rf"\begin{{{name}}}") == latex.count(rf"\end{{{name}}}") == 1
    assert "| x\\|y | \\# | n |" in markdown
    assert "| \\\\ | \\* | 2 |" in markdown
    assert "| 1 \\< 2\\* | 1 |" in markdown
    assert markdown.startswith("100 % of a\\_b c & d\n")
    assert markdown.endswith("\n\\* why\\_so\n")


def test_latex_gets_no_letter_that_it_cannot_set_or_takes_for_a_command() -> None:
    assert escape_latex('[1]\n\nα "κ" −0.1 ≥ ʼ') == (r"{[}1{]} $\alpha$ \symbol{34}$\kappa$\symbol{34} $-$0.1 $\geq$ ’")
    assert escape_latex("«так» a") == r"\hromadaCyrillic{«так» a}"
    assert escape_latex("a_" * 20) == r"a\_\allowbreak{}" * 19 + r"a\_"


def test_equal_reasons_have_one_mark() -> None:
    notes = Footnotes()
    marks = [notes.mark(words) for words in ("a", "b", "a", "c", "d", "e", "f")]
    assert notes.notes == ("a", "b", "c", "d", "e", "f")
    table = PaperTable(name="t", of="t", caption="c", heads=("",), rows=tuple((mark,) for mark in marks))
    cells = [line.strip("| ") for line in format_markdown(table).splitlines()[4:]]
    assert cells == ["\\*", "†", "\\*", "‡", "§", "¶", "\\*\\*"]


def test_the_results_are_those_of_the_tables(state: ReleaseState) -> None:
    files = paper.build_paper_files(state, stamp="DRAFT")
    (row,) = (line for line in files["tables/results.md"].splitlines() if line.startswith("| так-ні"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["так-ні", "12", "8", "96", "50.0", "90.6\\*", "82.6–95.7", "82.6–95.7", "100.0", "—†"]
    assert "† The gold was not reviewed." in files["tables/results.md"]
    baselines = state.tables.baselines.set_index("unit").loc["individual"]
    assert float(baselines["bl_human"]) == pytest.approx(90.6, abs=0.05)
    assert all("DRAFT" in content for path, content in files.items() if path != "paragraph.uk.md")
    assert set(files) == {
        *(f"tables/{name}.{kind}" for name in ("results", "agreement", "people") for kind in ("md", "tex")),
        "paragraph.md",
        "paragraph.uk.md",
    }


def test_the_paragraph_in_english(state: ReleaseState) -> None:
    text = paper.build_paper_files(state)["paragraph.md"]
    assert text == (
        "Назва так-ні: 12 items, with 96 answers counted, by 8 people. People were recruited as follows: "
        "convenience sample: volunteers from a mailing list of linguists. They stand for: adult native "
        "speakers of Ukrainian. Pay: volunteers, unpaid. Ethics review: not sought: no personal data are "
        "published. Everybody agreed to the consent text before the first item. People answered in telegram, "
        "where they saw the texts that the release holds verbatim. The training had 1 item; after each answer "
        "the right one was shown. Qualification: 4 items by the rule “3 of 4”; 8 of 10 passed. Use of "
        "language models and search engines: none; they attested it. What people saw and models get differs "
        "as follows: people tapped an option; models get the options as a list and answer in the option's words; "
        "people saw the options in an order of their own, models in the stored one; models do not read the "
        "instructions. Planned for each item: 8 answers, skips included; reached: 8 to 8 (median 8). "
        "Rules excluded no answer; the rules were fixed before the first answer. Skips that count as wrong: "
        "0. Planned half-width of the interval for new people and new items: 10.0 points; reached: 6.5. "
        "Agreement in так-ні (level nominal; 95 % intervals for these people and new items): share of equal pairs "
        "0.812 [0.731–0.874], Krippendorff’s α (nominal) 0.629 [0.469–0.749]. In так-ні, 90.6 % of single answers are "
        "right (95 % interval for new people and new items: 82.6 to 95.7), by 8 people on 12 items. The majority of 8 "
        "is right on 100.0 % of the items (95 % interval for new people and new items: 73.5 to 100.0). The gold was "
        "not reviewed, so the ceiling of the score is not known.\n"
    )


def test_the_paragraph_in_ukrainian(state: ReleaseState) -> None:
    text = paper.build_paper_files(state, stamp="SECONDARY · DRAFT")["paragraph.uk.md"]
    assert text == (
        "**ВТОРИННІ ДАНІ · ЧЕРНЕТКА**\n\n"
        "Назва так-ні. Учасників: 8, завдань: 12, зарахованих відповідей: 96. Учасників знайшли так: "
        "convenience sample: volunteers from a mailing list of linguists. Вони представляють: adult native "
        "speakers of Ukrainian. Оплата: volunteers, unpaid. Етична експертиза: not sought: no personal data "
        "are published. Усі погодилися з текстом згоди до першого завдання. Відповідали в telegram; тексти, "
        "які бачили учасники, випуск містить дослівно. Тренування містило 1 завдання; після кожної відповіді "
        "показували правильну. Перевірка перед допуском: 4 завдання, правило «3 of 4»; скільки пройшло: 8 з 10. "
        "Використання мовних моделей і пошуку: none; they attested it. Відмінності між тим, що бачили люди й отримують "
        "моделі: люди торкалися варіанта; моделі отримують варіанти списком і відповідають словами варіанта; "
        "люди бачили варіанти кожен у своєму порядку, моделі – у збереженому; моделі не читають інструкцій. На "
        "завдання планували 8 відповідей разом із пропусками; є від 8 до 8 (медіана 8). "
        "Правила не виключили жодної відповіді; правила встановлено до першої відповіді. Пропусків, що "
        "рахуються як помилки: 0. Запланована половина ширини інтервалу для нових людей і завдань: 10,0 "
        "пункту; досягнуто: 6,5. Узгодженість у так-ні (рівень номінальний; 95 % інтервали для цих людей і нових "
        "завдань): частка однакових пар 0,812 [0,731–0,874], α Кріппендорфа (номінальна) 0,629 [0,469–0,749]. У так-ні "
        "правильні 90,6 % окремих відповідей (95 % інтервал для нових людей і нових завдань: від 82,6 до 95,7); людей: "
        "8, завдань: 12. Більшість із 8 має рацію у 100,0 % завдань (95 % інтервал для нових людей і нових завдань: "
        "від 73,5 до 100,0). Еталон не переглядали, тож найвища можлива "
        "оцінка невідома.\n"
    )


def test_both_languages_have_every_sentence_with_the_same_gaps() -> None:
    assert SENTENCES["en"].keys() == SENTENCES["uk"].keys()
    for key, english in SENTENCES["en"].items():
        if key in ("opening", "score", "language", "decimal"):
            continue
        gaps = [sorted(re.findall(r"\{(\w+)\}", words)) for words in (english, SENTENCES["uk"][key])]
        assert gaps[0] == gaps[1], key


def test_nouns_after_numbers() -> None:
    assert [count_noun(number, "person") for number in (0, 1, 2, 21)] == [
        "0 people",
        "1 person",
        "2 people",
        "21 people",
    ]
    numbers = (0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 101, 111, 112)
    words = [count_noun(number, "answer", "uk").split()[1] for number in numbers]
    one, few, many = "відповідь", "відповіді", "відповідей"
    assert words == [many, one, few, few, many, many, many, many, one, few, many, one, many, many]


def test_nothing_is_said_of_people_that_was_not_so(make_release: Any) -> None:
    data = make_release.data_set()
    rows = data.responses.copy()
    rows.loc[rows.index[:1], ["excluded_kind", "excluded_reason", "by_rule"]] = ["rule", "too fast", True]
    project = make_release.project(
        n_without_consent=1,
        training_explains=True,
        rules_fixed_before=False,
        post_hoc=("too fast: added",),
        pay=Pay(scheme="per hour", currency="UAH", n_paid=8, hourly_median=150.5),
        declared={"pay": "150 UAH\nan hour."},
    )
    state = compute_release_state(make_release.inputs(dataclasses.replace(data, responses=rows, overlap=2), project))
    files = paper.build_paper_files(state)
    for sentence in (
        "1 answer came before any consent of their annotator.",
        "after each answer the right one was shown and explained.",
        "Rules excluded 1 answer: too fast (1); the rules were not fixed before the first answer.",
        "Changed after the start: too fast: added.",
        "Pay: 150 UAH an hour. For an active hour they got 150.5 UAH in the median.",
        "Planned for each item: 2 answers, skips included; reached: 7 to 8",
    ):
        assert sentence in files["paragraph.md"]
    for sentence in (
        "До згоди учасника дано 1 відповідь.",
        "Правила виключили 1 відповідь; причини: too fast (1)",
        "Медіана оплати за активну годину: 150,5 UAH.",
        "На завдання планували 2 відповіді разом",
    ):
        assert sentence in files["paragraph.uk.md"]
    assert "Everybody agreed" not in files["paragraph.md"]


def test_a_plan_for_a_win_rate_is_told_in_both_languages(make_release: Any) -> None:
    words = Finding("plan-win-rate", items=12, groups=12, answers=96, width=0.1, most=0.2)
    plan = PlanFact(n_items=12, overlap=8, half_width=None, share=None, words=words)
    files = paper.build_paper_files(compute_release_state(make_release.inputs(project=make_release.project(plan=plan))))
    assert f"Planned: {words}." in files["paragraph.md"]
    assert re.search(r"Заплановано: [^.]*частки перемог", files["paragraph.uk.md"])


def test_what_is_missing_is_said(make_release: Any) -> None:
    project = make_release.project(
        declared={}, imported=True, training_items=(), qualification=None, plan=None, n_without_consent=None,
        rules_fixed_before=None,
    )  # fmt: skip
    data = make_release.data_set()
    few = dataclasses.replace(data, overlap=None, items=data.items.assign(group="one"))
    files = paper.build_paper_files(compute_release_state(make_release.inputs(few, project)))
    text = files["paragraph.md"]
    for sentence in (
        "The recruitment is not declared.",
        "The pay is not declared.",
        "collected elsewhere",
        "(no interval for new people)",
    ):
        assert sentence in text
    assert "fewer than 5" in files["tables/results.md"]
    assert "The pay is not declared." in files["tables/people.md"]


def test_of_three_people_the_paragraph_says_nothing_of_new_ones(make_release: Any) -> None:
    """Each interval is for these people, with how many are needed; the ceiling has its interval and its items."""
    data = make_release.data_set()
    few = dataclasses.replace(data, responses=data.responses.loc[data.responses["annotator"].isin(["a1", "a2", "a3"])])
    state = compute_release_state(make_release.inputs(few))
    share = WeightedShare(value=0.9, low=0.8, high=0.95, pool_low=0.85, pool_high=0.93)
    strata = (StratumCounts(name="all", n_items=12, n_reviewed=10, n_wrong=1, n_undecidable=0),)
    ceiling = CeilingEstimate(
        strata=strata, wrong=share, flawed=share, ceiling=share, confidence_level=0.95, reason="", warnings=()
    )
    results = tuple(change_result(one, ceiling=ceiling) for one in state.results)
    reviewed = dataclasses.replace(state, tables=dataclasses.replace(state.tables, results=results))
    english, ukrainian = (paragraph.write_paragraph(reviewed, language) for language in ("en", "uk"))
    own = r"\(95 % interval for these people and new items: \d+\.\d to \d+\.\d; with 3 people nothing can be said of"
    assert len(re.findall(own + r" new ones, 5 are needed\)", english)) == 2, english
    assert "of the gold of 10 of 12 items, no score can honestly be above 90.0 % (95 % interval for items" in english
    assert "like these: 80.0 to 95.0)" in english
    assert "для цих людей і нових завдань" in ukrainian
    assert "від 80,0 до 95,0" in ukrainian


def test_a_programme_has_one_table_and_says_what_its_projects_share(make_release: Any) -> None:
    sets = [make_release.data_set(name) for name in ("b", "a")]
    projects = tuple(make_release.project(name) for name in ("b", "a"))
    projects = (projects[0], dataclasses.replace(projects[1], qualification=None))
    inputs = make_release.inputs(sets[0], projects[0])
    inputs = dataclasses.replace(
        inputs,
        data_sets=tuple(sets),
        facts=dataclasses.replace(inputs.facts, projects=projects, is_programme=True),
        benchmark=make_release.source(*sets, name="all", is_group=True),
    )
    files = paper.build_paper_files(compute_release_state(inputs))
    rows = [line.split("|")[1].strip() for line in files["tables/results.md"].splitlines() if line.startswith("| ")]
    assert rows == ["Data set", "b", "a", "Mean over tasks"]
    text = files["paragraph.md"]
    assert text.count("Pay: volunteers, unpaid.") == 1
    assert "a: The training had 1 item; after each answer the right one was shown. There was no qualification." in text
    assert "Over all tasks the mean of single answers is 90.6 %" in text


def test_models_stand_in_a_table_and_in_the_paragraph(make_release: Any) -> None:
    data = make_release.data_set()
    ids = list(data.items["item_id"])
    answers = ReadAnswers(name="m_1", file=Path("m"), answers=dict.fromkeys(ids, "так"), stimuli=dict.fromkeys(ids))
    state = compute_release_state(make_release.inputs(data, models={data.name: ReadModels(models=(answers,))}))
    files = paper.build_paper_files(state)
    rows = [line for line in files["tables/models.md"].splitlines() if line.startswith("| m\\_1")]
    assert len(rows) == 2
    assert "| 50.0 | +40.6 |" in rows[0]
    assert r"\textbf{m\_1 (accuracy)}" in files["tables/models.tex"]
    assert r"m\_1 has 50.0 % in так-ні; people less the model: +40.6 points" in files["paragraph.md"]
    assert "people are above. Both were scored on the same items (12)." in files["paragraph.md"]
    assert re.search(
        r"points \(95 % interval for new people and new items: .*?\); Holm’s p (=|<) 0\.\d+; people are above",
        files["paragraph.md"],
    )
    assert re.search(r"p за Голмом (=|<) 0,\d+; люди вище", files["paragraph.uk.md"])


@pytest.mark.parametrize(
    ("stamp", "words"),
    [("SIMULATED · DRAFT", ["scripts answered", "Do not cite it"]), ("SECONDARY", ["answered elsewhere"]), ("", [])],
)
def test_the_readme_explains_its_stamp_and_names_what_is_there(
    state: ReleaseState, stamp: str, words: list[str]
) -> None:
    text = paper.build_readme(
        state, stamp=stamp, status_line="All met.", inputs_sha256="ab" * 32, files=["gold.csv", "inputs/index.json"]
    )
    assert text.startswith(f"# {stamp}: Назва" if stamp else "# Назва")
    assert all(word in text for word in ["ab" * 32, "`gold.csv`", "`inputs/`", "CC-BY-4.0", *words])
    assert "`tables/`" not in text


def test_the_readme_names_every_file_that_a_release_can_hold(state: ReleaseState, plain_release: ReleaseFolder) -> None:
    files = plain_release.files
    table = files["README.md"].decode()
    named = {path.split("/")[0] + ("/" if "/" in path else "") for path in files} - {"README.md"}
    assert [name for name in sorted(named) if f"| `{name}` |" not in table] == []
    for name in (*ADJUDICATED, *CORRECTED, *FILTERED):
        text = paper.build_readme(state, stamp="", status_line="All met.", inputs_sha256="ab" * 32, files=[name])
        assert f"| `{name}` |" in text
    assert "To cite:" in table


def test_the_mean_over_tasks_counts_the_data_sets_it_is_made_of(make_release: Any) -> None:
    sets = [make_release.data_set(name) for name in ("a", "b", "b/why")]
    projects = tuple(make_release.project(name) for name in ("a", "b"))
    inputs = make_release.inputs(sets[0], projects[0])
    facts = dataclasses.replace(inputs.facts, projects=projects, is_programme=True)
    state = compute_release_state(dataclasses.replace(inputs, data_sets=tuple(sets), facts=facts))
    (row,) = (line for line in paper.build_paper_files(state)["tables/results.md"].splitlines() if "Mean over" in line)
    assert row.startswith("| Mean over tasks | 24 | 8 | 192 |")


def test_a_published_score_and_a_part_of_the_items_are_marked(make_release: Any) -> None:
    data = make_release.data_set()
    ids = list(data.items["item_id"])[:10]
    answers = ReadAnswers(name="m", file=Path("m"), answers=dict.fromkeys(ids, "так"), stimuli=dict.fromkeys(ids))
    published = PublishedScore(name="p", value=0.5, n_items=300)
    models = {data.name: ReadModels(models=(answers,), published=(published,))}
    files = paper.build_paper_files(compute_release_state(make_release.inputs(data, models=models)))
    table = files["tables/models.md"]
    assert "On 10 items; people are scored on 12." in table
    assert "A published score" in table
    assert "| people |" in table
    assert "This is a published score" in files["paragraph.md"]
