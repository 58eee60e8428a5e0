"""What hromada makes of other people's projects in Label Studio, without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.campaigns import project_file
from annotation.errors import BadInput
from annotation.label_studio import server_models
from annotation.label_studio.sync import parse_project_address
from annotation.loading.project_drafts import adopted_project, label_config

SERVER = "http://localhost:8080"
CONFIG = """<View>
  <Text name="text" value="$text"/> <Image name="picture" value="$image"/> <Audio name="sound" value="$sound"/>
  <Choices name="mood" toName="text" required="true"><Choice value="sad"/><Choice value="calm"/></Choices>
  <View visibleWhen="choice-selected"><TextArea name="why" toName="text" required="true"/></View>
  <Choices name="own" toName="text" value="$options"/>
  <Choices name="twice" toName="text"><Choice value="1"/><Choice value="2"/></Choices>
  <Rating name="twice" toName="text"/>
  <Labels name="heard" toName="sound"><Label value="speech"/></Labels>
  <RectangleLabels name="box" toName="picture"><Label value="dog"/></RectangleLabels>
  <TextArea name="read" toName="picture" perRegion="true"/>
</View>"""
LEFT_OUT = (
    "own (Choices)", "twice (its name is used twice)", "heard (Labels on Audio)", "box (RectangleLabels)",
    "read (TextArea for each marked part)",
)  # fmt: skip


def test_addresses_and_releases_are_read() -> None:
    """Any page of a project names it; another server, or no project, is refused; a release outside the range warns."""
    for page in (
        "7",
        f"{SERVER}/projects/7",
        f"{SERVER}/projects/7/data?tab=3&task=12",
        "http://127.0.0.1:8080/projects/7/",
    ):
        assert parse_project_address(page, server=f"{SERVER}/") == 7
    for page in ("http://localhost:8081/projects/7", f"{SERVER}/projects/", "mood", f"{SERVER}/user/login/?next=7"):
        with pytest.raises(BadInput):
            parse_project_address(page, server=SERVER)
    for version, is_known in (("1.20.0", True), ("1.23.9", True), ("unknown", True), ("1.19.0", False), ("2.0", False)):
        assert (server_models.explain_version(version) is None) is is_known


def test_a_refused_webhook_is_told_by_its_cause() -> None:
    """A private address, or an account that may make none."""
    detail = "URL resolves to a reserved network address (block: 10.0.0.0/8)"
    for body, words in (({"detail": detail}, "no private address"), ({"detail": "No permission."}, "The account")):
        what = f"{server_models.WEBHOOK} http://10.0.0.1/"
        assert words in str(server_models.explain_refusal(403, body, url=SERVER, what=what))
    assert "has no access to" in str(server_models.explain_refusal(403, {}, url=SERVER, what="the project 7"))


def test_what_no_question_type_is_like_is_named_and_left_out(tmp_path: Path) -> None:
    """The other controls become a project file that can be read; a hidden control is never required."""
    config = label_config.read_config(CONFIG, path=Path("config.xml"))
    assert config.others == LEFT_OUT
    draft = adopted_project.draft_adopted_project(
        "mood",
        source=SERVER,
        title="Mood",
        instructions="<p>Read.</p><ul><li>Then&nbsp;choose.</li></ul>",
        config=config,
        tasks={4: {"text": "It rains.", "image": "/data/upload/1.png"}, 9: {"text": "It snows."}},
        answers=[frozenset({"mood", "why"})],
    )
    for name, text in draft.files.items():
        (tmp_path / name).write_text(text, "utf-8")
    read = project_file.read_project(tmp_path / "project.yaml")
    questions = {question.name: question.required for question in read.definition.all_questions}
    assert questions == {"mood": True, "why": False}
    assert read.definition.votes is not None
    assert read.definition.votes.answers == {"mood": "mood", "why": "why"}
    assert "Then choose." in draft.files["instructions.md"].replace("\xa0", " ")
    assert all(one in draft.files["project.yaml"] for one in LEFT_OUT)
