"""How a question becomes tasks of the lm-evaluation-harness: a closed one is two, which nothing averages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

FormName = Literal["likelihood", "generation"]
"""A model tells how likely each option is, which a chat model cannot; or it writes its answer, as any model can."""
BESIDE: Mapping[FormName, str] = MappingProxyType({"likelihood": "accuracy_norm", "generation": "accuracy_strict"})
"""The metric of the other reading of the same results, which stands after `accuracy`."""
VISION_MODEL = "hf-multimodal --apply_chat_template --model_args pretrained=MODEL"
"""How the harness is told to ask a model that has vision; its model `dummy` takes no pictures."""
GENERATION, FORMS, QUESTIONS = "generation", "forms", "questions"


@dataclass(frozen=True, kw_only=True)
class TaskForm:
    """A task of the harness: its name there, and the metrics of its scorer, the primary one first."""

    form: FormName
    task: str
    metrics: tuple[str, ...]


def name_generation(name: str) -> str:
    """What is called after a closed question, or a programme of such, and is answered by writing."""
    return f"{name}_{GENERATION}"


def name_forms(name: str) -> str:
    """The group of all tasks of a closed question, or of a programme with such; it has no score."""
    return f"{name}_{FORMS}"


def name_questions(name: str) -> str:
    """The group of all questions of a project; it has no score, as they ask different things."""
    return f"{name}_{QUESTIONS}"


def build_forms(
    name: str, metrics: tuple[str, ...], *, chooses: bool, has_norm: bool, hidden: bool, shows_pictures: bool = False
) -> tuple[TaskForm, ...]:
    """The tasks of a question called `name`: by likelihood and by generation if it `chooses`, else by generation.

    No model of the harness tells likelihoods of texts with pictures. `metrics` are those that both have. Where gold is
    `hidden` no other can be told, nor where the texts of options say nothing (`has_norm`).
    """
    if not chooses:
        return (TaskForm(form="generation", task=name, metrics=metrics),)
    names: dict[FormName, str] = {"likelihood": name, "generation": name_generation(name)}
    if shows_pictures:
        names = {"generation": name}
    first, *rest = metrics
    forms = []
    for form, task in names.items():
        beside = () if hidden or (form == "likelihood" and not has_norm) else (BESIDE[form],)
        forms.append(TaskForm(form=form, task=task, metrics=(first, *beside, *rest)))
    return tuple(forms)
