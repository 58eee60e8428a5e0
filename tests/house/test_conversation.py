"""The conversation calls use-cases: it hands a session on, asks nothing of it, and names tables as types only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

DATABASE = ("sqlalchemy", "sqlmodel", "annotation.store")
"""What a module that sends no SQL imports for its annotations only."""
CLEAN = """\
def show(session: Session, context: UpdateContext) -> Project:
    context.record.save(session, now=context.now)
    assign_next_item(context.transaction, project=get_project(context.transaction.session, name))
    return find_project(context.session, session=session, annotator=context.annotator)
"""
QUERIES = (
    "context.session.exec(statement)",
    "session.get(Project, 1)",
    "session.no_autoflush",
    "query = context.session",
    "query = session",
    "return context.session",
    "context.transaction.session.exec(statement)",
    "query = opened.transaction.session",
    "[context.session][0].add(row)",
    "with context.session as view: pass",
)
IMPORTS = (
    "from sqlmodel import select",
    "import sqlalchemy as sa",
    "from annotation.store import queries",
    "from annotation.store.models import Project",
    "if TYPE_CHECKING:\n    pass\nelse:\n    from sqlmodel import Session",
    "if DEBUG:\n    from sqlmodel import Session",
)


def read_conversation() -> Iterator[tuple[str, ast.Module]]:
    """Every module of the conversation, parsed, with its path."""
    root = Path(import_module("bot.conversation").__path__[0])
    for path in sorted(root.rglob("*.py")):
        yield str(path.relative_to(root.parent.parent)), ast.parse(path.read_text("utf-8"))


def list_uses_of_sessions(module: ast.Module) -> list[str]:
    """Where a session is used otherwise than as the argument of a call, and where it is given another name."""
    passed = {
        id(argument)
        for call in ast.walk(module)
        if isinstance(call, ast.Call)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    }
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(module)
        if isinstance(node, ast.expr) and is_session(node) and id(node) not in passed
    ]


def is_session(node: ast.expr) -> bool:
    """Whether this expression reads something that is called session."""
    if isinstance(node, ast.Name):
        return node.id == "session" and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Attribute) and node.attr == "session"


def list_imports_of_the_database(module: ast.Module) -> list[str]:
    """What is imported of the database when the module runs, and not for type checkers only."""
    for_types = {
        id(node)
        for block in ast.walk(module)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        for node in ast.walk(statement)
    }
    return [
        f"{node.lineno}: {name}"
        for node in ast.walk(module)
        if isinstance(node, ast.stmt) and id(node) not in for_types
        for name in list_imported_names(node)
        if any(name == root or name.startswith(f"{root}.") for root in DATABASE)
    ]


def list_imported_names(node: ast.stmt) -> list[str]:
    """The full names of what an import statement imports; nothing for another statement."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def test_the_conversation_only_hands_sessions_on() -> None:
    """It calls no method of a session: each query is a function of the room of `annotation` that it belongs to."""
    uses = {path: list_uses_of_sessions(module) for path, module in read_conversation()}
    assert len(uses) > 15
    assert {path: found for path, found in uses.items() if found} == {}


def test_the_conversation_imports_nothing_of_the_database() -> None:
    """Neither statements nor tables nor queries; their types stand in annotations."""
    imports = {path: list_imports_of_the_database(module) for path, module in read_conversation()}
    assert {path: found for path, found in imports.items() if found} == {}


@pytest.mark.parametrize("line", QUERIES)
def test_a_query_in_the_conversation_is_found(line: str) -> None:
    """A method of a session, and a session under another name."""
    assert list_uses_of_sessions(ast.parse(CLEAN)) == []
    assert list_uses_of_sessions(ast.parse(f"{CLEAN}    {line}\n")) != []


@pytest.mark.parametrize("lines", IMPORTS)
def test_an_import_of_the_database_is_found(lines: str) -> None:
    """Also under a condition that is not that of type checkers, or is its opposite."""
    clean = "if TYPE_CHECKING:\n    from sqlmodel import Session\n"
    assert list_imports_of_the_database(ast.parse(clean)) == []
    assert list_imports_of_the_database(ast.parse(clean + lines)) != []
