"""Every shape in `examples/` asked of models by the harness: by likelihood, by generation, and over a chat server."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import EXAMPLES, Campaigns, open_campaigns, read_people, read_samples, run_harness
from _prompts import check_prompts

from aggregation.answer_types import score_answers
from aggregation.scores.performance import UnitName
from annotation.campaigns import project_file
from annotation.store import queries
from bot import release
from exports import lm_eval
from exports.benchmark import Benchmark
from exports.benchmark_items import task_functions
from exports.benchmark_items.task_functions import Doc
from exports.inputs import DataSet
from exports.lm_eval import results

pytestmark = pytest.mark.slow

SHAPES = sorted(str(file.relative_to(EXAMPLES).with_suffix("")) for file in EXAMPLES.glob("*/*.yaml"))
LANGUAGES = {"uk": [name for name in SHAPES if name.startswith("eval")]}
LANGUAGES["ru"] = [name for name in SHAPES if name not in LANGUAGES["uk"]]
LETTERS = {"eval-ua-tion.ua-cbt", "russian-superglue.parus", "tape.ru-openbookqa", "tape.ru-worldtree"}
NUMBERS = {"eval-ua-tion.up-titles-masked", "eval-ua-tion.up-titles-unmasked"}
STYLES = (
    ("{answer}", True),
    ("«{answer}».", True),
    ("**{answer}**", False),
    ("Відповідь: {answer}", False),
    ("<think>Спершу прочитаю.\n\nЦе щось інше? Ні.</think>\n\n{answer}", False),
)
"""How a model writes an answer, and whether it writes nothing else."""
WRONG = "ъъъ"
UNITS: tuple[UnitName, ...] = ("individual", "majority")


def draw_number(*texts: str) -> float:
    """A number between 0 and 1, the same for the same texts."""
    digest = hashlib.sha256("\n".join(texts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def draw_likelihood(prompt: str, continuation: str) -> float:
    """The log-likelihood of a model that knows nothing: the longer a text is, the less likely."""
    return -len(continuation) * (0.5 + draw_number(prompt, continuation))


def choose_reply(doc: Doc) -> tuple[str, bool, bool]:
    """What the model writes to an item, whether it is right, and whether it writes the answer alone."""
    draw = draw_number(task_functions.build_prompt(doc))
    style, is_bare = STYLES[int(draw * 1000) % len(STYLES)]
    names = task_functions.list_names(doc) if "labels" in doc else []
    answer = names[int(draw * len(names))] if names else doc["answer"] if draw < 0.5 else WRONG
    if not names:
        return answer, answer != WRONG, True
    return style.format(answer=answer), answer == doc["answer"], is_bare


@pytest.fixture(scope="module", autouse=True)
def seeded_model() -> None:
    """A model of the harness without weights."""
    from lm_eval import models  # noqa: F401  # registers the harness's own, which it does not do beside another
    from lm_eval.api.model import LM
    from lm_eval.api.registry import register_model

    class SeededModel(LM):  # type: ignore[misc]  # the harness has no types
        """Its likelihoods and replies are drawn from the prompt and the item."""

        def __init__(self, **_: object) -> None:
            super().__init__()

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(draw_likelihood(*request.args), False) for request in requests]

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [choose_reply(request.doc)[0] for request in requests]

        def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
            raise NotImplementedError

        def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
            turns = [f"<|{message['role']}|>{message['content']}<|end|>\n" for message in chat_history]
            return "".join(turns) + "<|assistant|>" * add_generation_prompt

        @property
        def tokenizer_name(self) -> str:
            return "turns"

    register_model("seeded")(SeededModel)


@dataclass(frozen=True)
class Shapes:
    """All examples of a language as one programme, answered, built and run by the seeded model in both forms."""

    campaigns: Campaigns
    folder: Path
    benchmark: Benchmark
    run: dict[str, Any]

    @cached_property
    def docs(self) -> dict[str, list[Doc]]:
        """The rows of each question."""
        folder = self.folder / "hugging_face"
        return {
            name: task_functions.read_rows(folder / name / "test.jsonl") for name in self.benchmark.manifest["tasks"]
        }

    @property
    def questions(self) -> dict[str, dict[str, Any]]:
        """What the manifest says of each question."""
        found: dict[str, dict[str, Any]] = self.benchmark.manifest["tasks"]
        return found

    def read_data(self, data_set: str) -> DataSet:
        """A data set as `hromada baseline` scores it."""
        project, _, question = data_set.partition("/")
        with self.campaigns.db.reading() as session:
            inputs = release.ProjectInputs(view=session, project=queries.get_project(session, project))
            return inputs.read_data_set(question or None).keep_first_places()


@pytest.fixture(scope="module", params=LANGUAGES)
def shapes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shapes]:
    """Two answers an item, some of them skips. Every question is a task here; if it has no gold, by votes."""
    folder = tmp_path_factory.mktemp("shapes")
    with open_campaigns(folder) as campaigns:
        (folder / "files").symlink_to(EXAMPLES)
        for name in LANGUAGES[request.param]:
            file = folder / "files" / f"{name}.yaml"
            definition = project_file.read_project(file, allow_outside=True).definition
            questions = tuple(question.name for question in definition.all_questions)
            chosen = definition.benchmark.model_copy(update={"questions": questions})
            loaded = campaigns.load(file, overlap=2, benchmark=chosen, filtering=None)
            campaigns.answer([loaded], people=3, skill=0.7, skips=0.12, seed=3)
        campaigns.bundle("all-shapes", request.param)
        benchmark = campaigns.write("all-shapes", folder / "built")
        run = run_harness(folder / "built", folder / "out", ["all-shapes_forms"], model="seeded")
        yield Shapes(campaigns, folder / "built", benchmark, run)


def test_every_shape_is_built_and_run_in_its_forms(shapes: Shapes) -> None:
    """All items of all tasks were asked; a choice is asked for the word, the letter or the number."""
    projects = {question["dataset"].partition("/")[0] for question in shapes.questions.values()}
    loaded = {file.stem for file in shapes.campaigns.files}
    assert {name.rpartition(".")[2] for name in projects} == loaded
    for name, question in shapes.questions.items():
        for form in question["forms"].values():
            counted = shapes.run["n-samples"][form["task"]]
            assert counted == {"original": question["n_items"], "effective": question["n_items"]}
            assert set(form["metrics"]) <= {metric.partition(",")[0] for metric in shapes.run["results"][form["task"]]}
        marks = shapes.docs[name][0].get("marks", ["–"])[0]
        assert marks == ("A" if name in LETTERS else "1" if name in NUMBERS else "–")
    assert not any("," in metric for metric in shapes.run["results"]["all-shapes_forms"])


def test_every_prompt_says_everything_once(shapes: Shapes) -> None:
    """Also those of questions that are no tasks unless they are named."""
    for name, question in shapes.questions.items():
        check_prompts(shapes.docs[name], question)


def test_a_model_is_scored_by_its_likelihoods_and_by_what_it_wrote(shapes: Shapes) -> None:
    """Each metric is that of the drawn numbers and replies, computed here anew."""
    for name, question in shapes.questions.items():
        docs, found = shapes.docs[name], shapes.run["results"]
        prompts = read_prompts(shapes, name)
        for kind, form in question["forms"].items():
            values = {metric: found[form["task"]][f"{metric},none"] for metric in form["metrics"][:2]}
            if kind == "likelihood":
                expected = [score_likelihoods(doc, prompts[doc["item_id"]]) for doc in docs]
            else:
                expected = [score_reply(doc, form["metrics"]) for doc in docs]
            for metric in expected[0]:
                mean = sum(grades[metric] for grades in expected) / len(expected)
                assert values[metric] == pytest.approx(mean, abs=1e-12), (form["task"], metric)


def read_prompts(shapes: Shapes, task: str) -> dict[str, str]:
    """The prompt of each item as it was asked, by item."""
    (folder,) = {file.parent for file in shapes.folder.with_name("out").rglob("samples_*")}
    return {
        sample["doc"]["item_id"]: sample["arguments"]["gen_args_0"]["arg_0"] for sample in read_samples(folder, task)
    }


def score_likelihoods(doc: Doc, prompt: str) -> dict[str, float]:
    """The accuracy of the likeliest letter, number or word, and of the text that is the likeliest for its length."""
    names = [draw_likelihood(prompt, f" {name}") for name in task_functions.list_names(doc)]
    texts = [draw_likelihood(prompt, f" {option}") / len(option) for option in doc["options"]]
    chosen = {"accuracy": names, "accuracy_norm": texts}
    return {metric: float(likely.index(max(likely)) == doc["label"]) for metric, likely in chosen.items()}


def score_reply(doc: Doc, metrics: list[str]) -> dict[str, float]:
    """The primary metric of what was written, and for a choice that of the strict reading."""
    _, is_right, is_bare = choose_reply(doc)
    if "labels" not in doc:
        return {metrics[0]: float(is_right)}
    return {"accuracy": float(is_right), "accuracy_strict": float(is_right and is_bare)}


def test_a_model_that_knows_nothing_is_not_paid_for_short_options() -> None:
    """By bare likelihoods it takes the shorter text; by letters, and for their length, each half the time."""
    doc = {"marks": ["A", "B"], "options": ["так" * 2, "так" * 5], "labels": ["0", "1"], "gold": "0"}
    shares = dict.fromkeys(("accuracy", "accuracy_norm", "bare"), 0.0)
    for number in range(400):
        names = task_functions.list_names_and_texts(doc)
        likelihoods = [(draw_likelihood(str(number), name), False) for name in names]
        grades = task_functions.score_choice(doc, likelihoods) | {"bare": float(likelihoods[2] > likelihoods[3])}
        shares = {metric: share + grades[metric] / 400 for metric, share in shares.items()}
    assert shares["bare"] > 0.9
    assert shares["accuracy"] == pytest.approx(0.5, abs=0.1)
    assert shares["accuracy_norm"] == pytest.approx(0.5, abs=0.1)


def test_people_have_the_scores_of_baseline_in_both_forms(shapes: Shapes) -> None:
    """The majority of every shape, with its ties and skips, and each person."""
    read = lm_eval.read_results(shapes.folder, [shapes.folder / "results/human-majority"])
    scores = {(row["task"], row["metric"]): row["value"] for row in read.scores}
    people = read_people(shapes.folder)
    n_ties = n_skips = 0
    for question in shapes.questions.values():
        if question["people"]["reason"]:
            continue
        n_ties, n_skips = n_ties + question["people"]["n_ties"], n_skips + question["people"]["n_skips"]
        data = shapes.read_data(question["dataset"])
        whole = score_answers(data.build_answers(), skips=data.build_skips(), units=UNITS)
        expected = {one.metric.replace(",", " "): one.value for one in whole["majority"].scores}
        for form in question["forms"].values():
            task = form["task"]
            for metric in form["metrics"]:
                value = expected[metric.removesuffix("_strict").removesuffix("_norm")]
                assert scores[task, metric] == pytest.approx(value, abs=1e-9), (task, metric)
            for person, row in whole.annotators.iterrows():
                own = people[f"human-{person}"]["results"][task]
                assert own[f"{form['metrics'][0]},none"] == pytest.approx(row["accuracy"], abs=1e-9), (task, person)
    assert n_ties > 0
    assert n_skips > 0


@pytest.mark.parametrize(
    ("words", "difference"),
    [((), results.CHAT_PROMPT), (("--system_instruction", "Думай."), results.OTHER_PROMPT)],
)
def test_our_prompt_in_a_chat_template_is_told_from_another_prompt(
    shapes: Shapes, tmp_path: Path, words: tuple[str, ...], difference: str
) -> None:
    """The examples are turns of the chat; a system prompt is none of ours."""
    run_harness(shapes.folder, tmp_path / "out", ["all-shapes_forms"], "--apply_chat_template", *words, model="seeded")
    read = lm_eval.read_results(shapes.folder, [tmp_path / "out"])
    found = {(row["task"], row["difference"]) for row in read.differences}
    forms = [form for question in shapes.questions.values() for form in question["forms"].values()]
    assert found == {(form["task"], difference) for form in forms}


@pytest.fixture
def chat_server(shapes: Shapes) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An OpenAI-compatible server on loopback, and what it was asked; it answers as the seeded model does."""
    asked: list[dict[str, Any]] = []
    docs = {task_functions.build_prompt(doc): doc for rows in shapes.docs.values() for doc in rows}

    class Chat(BaseHTTPRequestHandler):
        """Answers `POST /v1/chat/completions`."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            content = body["messages"][-1]["content"]
            prompt = max(filter(content.endswith, docs), key=len)
            choice = {"index": 0, "message": {"role": "assistant", "content": choose_reply(docs[prompt])[0]}}
            answer = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1/chat/completions", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("is_multiturn", ["true", "false"])
def test_a_chat_server_is_asked_and_scored_like_any_model(
    shapes: Shapes, tmp_path: Path, chat_server: tuple[str, list[dict[str, Any]]], is_multiturn: str
) -> None:
    """Through `local-chat-completions`, the examples as turns or not: our prompt, and nothing that ends a thought."""
    address, asked = chat_server
    words = ("--model_args", f"model=chat,base_url={address}", "--apply_chat_template")
    run = run_harness(
        shapes.folder, tmp_path / "out", ["all-shapes_generation"], *words, "--fewshot_as_multiturn", is_multiturn,
        model="local-chat-completions",
    )  # fmt: skip
    for name, question in shapes.questions.items():
        form = question["forms"]["generation"]
        for metric in form["metrics"][:2]:
            own, chat = (found["results"][form["task"]][f"{metric},none"] for found in (shapes.run, run))
            assert chat == pytest.approx(own, nan_ok=True), (name, metric)
    assert {tuple(body["stop"]) for body in asked} == {("\n\n\n",)}
    read = lm_eval.read_results(shapes.folder, [tmp_path / "out"])
    assert {row["difference"] for row in read.differences} == {results.CHAT_PROMPT}
    assert len({row["task"] for row in read.differences}) == len(shapes.questions)
