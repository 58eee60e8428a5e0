"""Labelling configurations: every shipped campaign, in both passes, as Label Studio reads it."""

from __future__ import annotations

import html
import re
from collections import Counter
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import pytest

from annotation.campaigns import project_file as project_files
from annotation.campaigns import template_files
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import ChoicesQuestion, SpanQuestion
from annotation.errors import BadInput
from annotation.label_studio import configs, passes
from annotation.label_studio.texts import load_texts
from annotation.label_studio_controls import elements
from annotation.loading.judgements.label_studio_values import SECOND_PASS_KEY

EXAMPLES = Path(__file__).parents[3] / "examples"
TEMPLATES = Path(str(resources.files("annotation.campaigns"))) / "templates"
FILES = (
    *(
        TEMPLATES / one.name / language / "project.yaml"
        for one in template_files.list_templates()
        if not one.is_programme
        for language in template_files.LANGUAGES
    ),
    *sorted(EXAMPLES.glob("*/*.yaml")),
)
CONTROLS = ("Choices", "TextArea", "Labels", "Number")
OPTIONED = """\
project: optioned
title: Ціна $price та <знаки> & "лапки"
language: uk
instructions: "Перше.\\n\\n- добре\\n- погано <b>"
questions:
  - {name: cost, type: choice, text: "Скільки $5?", options: ["$5", "так, ні"], abstain: не знаю}
  - {name: why, type: text, text: Чому?, show_if: {cost: "так, ні"}}
  - {name: how, type: scale, text: Як?, options: ["1", "2", "3"], ends: [погано, добре]}
  - {name: tags, type: choices, text: Які?, options: [а, б, в], least: 1, most: 2, show_if: {cost: [не знаю, "$5"]}}
items: {file: items.csv, id: id, show: text}
overlap: 1
"""


def definition(file: Path) -> ProjectFile:
    """A project file, checked."""
    return project_files.read_project(file).definition


def written(folder: Path, text: str) -> ProjectFile:
    """A project file of that text."""
    (folder / "project.yaml").write_text(text, "utf-8")
    return definition(folder / "project.yaml")


def tree(about: ProjectFile, *, second_pass: bool = False) -> ElementTree.Element:
    """The configuration, parsed."""
    return ElementTree.fromstring(configs.render_label_config(about, second_pass=second_pass))  # noqa: S314  # it is ours


def controls(config: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The controls by name."""
    found = [one for one in config.iter() if one.tag in CONTROLS]
    assert len({one.get("name") for one in found}) == len(found)
    return {str(one.get("name")): one for one in found}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
@pytest.mark.parametrize("second_pass", [False, True])
def test_every_campaign_renders(file: Path, second_pass: bool) -> None:
    """A control a question under the question's name, each speaking of an object that is there; every key once."""
    about = definition(file)
    config = tree(about, second_pass=second_pass)
    asked = passes.list_questions(about, second_pass=second_pass)
    nothing = [
        elements.get_none_control(one.name)
        for one in asked
        if (isinstance(one, SpanQuestion) and (one.required or one.none is not None))
        or (one.required and one.takes_empty_answer)
    ]
    named = controls(config)
    assert sorted(named) == sorted([*(one.name for one in asked), *nothing, *["second:seen"] * second_pass])
    objects = {one.get("name") for one in config.iter("HyperText")}
    assert {one.get("toName") for one in named.values()} <= objects
    keys = Counter(one.get("hotkey") for one in config.iter() if one.get("hotkey"))
    assert set(keys.values()) <= {1}
    assigned = passes.assign_hotkeys(about, second_pass=second_pass)
    moving = {key for one in asked if elements.has_task_options(one) for key in assigned[one.name]}
    assert not moving & set(keys)
    for question in asked:
        aliases = [one.get("alias") for one in named[question.name].iter("Choice")]
        shows_none = elements.has_task_options(question) or named[question.name].tag == "Number"
        assert aliases == ([] if shows_none else list(question.get_labels(None)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_first_pass_names_no_gold(file: Path) -> None:
    """Only the second pass has a place for the first answer and the right one."""
    values = {one.get("value") for one in tree(definition(file)).iter()}
    assert f"${SECOND_PASS_KEY}" not in values
    assert f"${SECOND_PASS_KEY}" in {one.get("value") for one in tree(definition(file), second_pass=True).iter()}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_keys_do_not_move_with_the_words(file: Path) -> None:
    """The same file in another language has the same keys, and a question that comes again keeps them."""
    about = definition(file)
    renamed = tuple(one.model_copy(update={"text": f"Other words: {one.name}"}) for one in about.all_questions)
    translated = about.model_copy(update={"question": None, "questions": renamed, "language": "en"})
    for is_second in (False, True):
        keys = passes.assign_hotkeys(translated, second_pass=is_second)
        assert keys == passes.assign_hotkeys(about, second_pass=is_second)
    first, second = (keys_by_control(tree(about, second_pass=one)) for one in (False, True))
    assert {name: first[name] for name in first.keys() & second.keys()} == {
        name: second[name] for name in first.keys() & second.keys()
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
@pytest.mark.parametrize("second_pass", [False, True])
def test_where_texts_are_typed_no_letter_is_a_key(file: Path, second_pass: bool) -> None:
    """A letter typed outside of the field would choose; every option has a key, else Label Studio gives it a letter."""
    about = definition(file)
    config = tree(about, second_pass=second_pass)
    if not any(one.tag == "TextArea" for one in config.iter()):
        return
    keys = [one.get("hotkey", "no key") for one in config.iter() if one.tag in {"Choice", "Label"}]
    pressed = [key for key in keys if "ctrl+alt+shift" not in key]
    assert not set(pressed) - set(elements.DIGIT_HOTKEYS), keys
    hidden = [one for one in config.iter("View") if "hr-keyless" in one.get("className", "")]
    shown = [
        one for one in config.iter() if one.tag in {"Choice", "Label"} and one.get("hotkey") in elements.UNUSED_HOTKEYS
    ]
    assert all(any(one in list(view.iter()) for view in hidden) for one in shown)


def keys_by_control(config: ElementTree.Element) -> dict[str, list[str | None]]:
    """The keys of fixed options, in their order."""
    return {name: [one.get("hotkey") for one in control] for name, control in controls(config).items()}


def test_a_long_question_is_not_repeated_on_its_marks(tmp_path: Path) -> None:
    """A short one names its marks; of long ones each has a number, where several mark in one page."""
    long = "Позначте в першому тексті речення, яке веде до відповіді."
    asked = [
        f"  - {{name: q{number}, type: span, text: '{text}', field: text}}\n"
        for number, text in enumerate((long, "Хто?", f"{long} Ще раз."))
    ]
    start = "project: p\ntitle: П\nlanguage: uk\noverlap: 1\nitems: {file: i.csv, id: id, show: text}\nquestions:\n"
    for questions, labels in ((asked, ["Позначка 1", "Хто?", "Позначка 2"]), (asked[:1], ["Позначка"])):
        config = tree(written(tmp_path, start + "".join(questions)))
        assert [one.get("value") for one in config.iter("Label")] == labels


def test_words_stay_words(tmp_path: Path) -> None:
    """No `$` is taken for a field of the task, and `<` and `&` for no mark-up."""
    config = tree(written(tmp_path, OPTIONED))
    values = [str(one.get("value")) for one in config.iter() if one.tag in {"Header", "Choice"}]
    assert not [value for value in values if re.search(r"\$[\w]", value)]
    assert "Скільки \u2060$\u20605?" in values
    told = configs.render_instructions(written(tmp_path, OPTIONED))
    assert "<h3><strong>Ціна $price та &lt;знаки&gt; &amp; &quot;лапки&quot;</strong></h3>" in told
    assert "<p>Перше.</p>\n<ul><li>• добре</li><li>• погано &lt;b&gt;</li></ul>" in told
    headed = written(tmp_path, OPTIONED.replace('"Перше.', '"# Як\\nПерше.'))
    assert "<h4><strong>Як</strong></h4>\n<br><p>Перше.</p>" in configs.render_instructions(headed)


@pytest.mark.parametrize("language", ["en", "pl", "ru", "uk"])
def test_instructions_say_what_keys_do(tmp_path: Path, language: str) -> None:
    """A key pressed twice takes the choice back, and the page's own words are English: nobody else says it there."""
    texts = load_texts(language)
    typed, plain = "{name: b, type: text, text: Чому?}", "{name: b, type: choice, text: Так?, options: [а, б]}"
    for question, says_where in ((typed, True), (plain, False)):
        questions = f"questions: [{{name: a, type: choice, text: Так?, options: [а, б]}}, {question}]\n"
        rest = "items: {file: i.jsonl, id: id, show: [text]}\noverlap: 1\n"
        text = f"project: p\ntitle: p\nlanguage: {language}\ninstructions: Читайте.\n{questions}{rest}"
        told = configs.render_instructions(written(tmp_path, text))
        assert texts("keys-toggle") in html.unescape(told)
        assert (texts("keys-outside") in html.unescape(told)) is says_where
        assert "No More Tasks Left in Queue" in told


def test_instructions_tell_only_of_the_questions_of_the_pass() -> None:
    """The blind pass of filtering has no boxes and no field, so its instructions name none."""
    about = definition(TEMPLATES / "instance-filtering/en/project.yaml")
    first, second = (configs.render_instructions(about, second_pass=one) for one in (False, True))
    blind, *later = (html.escape(question.text) for question in about.all_questions)
    assert blind in first
    assert blind not in second
    assert all(text in second and text not in first for text in later)
    kept = load_texts("en")("kept")
    assert kept in second
    assert kept not in first


def test_what_label_studio_cannot_follow_is_there_and_not_required(tmp_path: Path) -> None:
    """It takes lists of options apart at commas: a condition on such an option is left to us."""
    named = controls(tree(written(tmp_path, OPTIONED)))
    assert {name: one.get("required") for name, one in named.items()} == {
        "cost": "true", "why": "false", "how": "true", "tags": "true",
    }  # fmt: skip
    heads = [str(one.get("value")) for one in tree(written(tmp_path, OPTIONED)).iter("Header")]
    assert "Якщо «Скільки \u2060$\u20605?» — так, ні" in heads
    views = [one for one in tree(written(tmp_path, OPTIONED)).iter("View") if one.get("visibleWhen")]
    assert [(one.get("whenTagName"), one.get("whenChoiceValue")) for one in views] == [("cost", "не знаю,$5")]


def test_compared_texts_stand_side_by_side(tmp_path: Path) -> None:
    """Each text has a column of its own below what is shown of the item; the answers are those of the task."""
    columns = "sides: [a, b, c], systems: [m, n, o], tie: Однаково"
    asked = f"question: {{type: preference, text: Яка?, {columns}}}"
    text = re.sub(r"questions:.*?(?=items:)", f"{asked}\n", OPTIONED, flags=re.DOTALL)
    config = tree(written(tmp_path, text))
    sides = next(view for view in config.iter("View") if view.get("className") == "hr-columns hr-sides hr-of-3")
    assert [one.get("value") for one in sides.iter("Header")] == ["А", "Б", "В"]
    assert [one.get("value") for one in sides.iter("HyperText")] == ["$side_1", "$side_2", "$side_3"]
    assert controls(config)["answer"].get("value") == "$options_answer"
    alone = tree(written(tmp_path, text.replace("show: text", "show: []")))
    assert [one.get("value") for one in alone.iter("HyperText")] == ["$side_1", "$side_2", "$side_3"]
    assert controls(alone)["answer"].get("toName") == "side:1"
    with pytest.raises(BadInput, match=r"items.show: The items show nothing"):
        written(tmp_path, OPTIONED.replace("show: text", "show: []"))


def test_all_languages_have_the_same_messages() -> None:
    """A project in any of them, or in another language, has words of ours."""
    files = Path(str(resources.files("annotation.label_studio"))) / "texts"
    named = {
        file.stem: re.findall(r"^([a-z-]+) =", file.read_text("utf-8"), re.MULTILINE) for file in files.glob("*.ftl")
    }
    assert set(named) == {"uk", "en", "ru", "pl"}
    assert all(names == named["uk"] for names in named.values())
    assert load_texts("uk")("at-most", most=2) == "не більше 2"
    assert load_texts("de")("at-most", most=2) == "at most 2"


def test_a_limit_is_told(tmp_path: Path) -> None:
    """How many boxes may be ticked stands beside the question, in the project's language."""
    heads = [one.get("value") for one in tree(written(tmp_path, OPTIONED)).iter("Header")]
    assert "від 1 до 2" in heads
    assert isinstance(written(tmp_path, OPTIONED).all_questions[3], ChoicesQuestion)


def test_panels_of_regions_are_there_only_where_parts_are_marked() -> None:
    """They take a quarter of the screen."""
    hidden = {
        name: "lsf-sidepanels__wrapper" in configs.render_label_config(definition(TEMPLATES / name / "uk/project.yaml"))
        for name in ("story-correction", "instance-filtering", "span-qa")
    }
    assert hidden == {"story-correction": True, "instance-filtering": True, "span-qa": False}


def test_an_emptied_answer_names_no_original(tmp_path: Path) -> None:
    """Only a text to correct has one; a question that ends with a full stop is quoted without it."""
    (tmp_path / "items.csv").write_text("id,text\n1,а\n", "utf-8")
    asked = OPTIONED.partition("questions:")[0] + 'question: {type: text, text: "Назвіть місто."}\n'
    page = configs.render_label_config(
        written(tmp_path, asked + "items: {file: items.csv, id: id, show: text}\noverlap: 1\n")
    )
    assert "Відповідь порожня" in page
    assert "оригінал" not in page
    assert "«Назвіть місто»." in page
