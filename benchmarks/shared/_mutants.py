"""Small mistakes for a program: one operator, constant, condition or argument changed at a place chosen by a seed."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: `source` is the whole file with it, `line` where it is, `change` what it is."""

    file: Path
    line: int
    change: str
    source: str


def draw_mutants(root: Path, packages: Sequence[str], *, number: int, rng: random.Random) -> list[Mutant]:
    """Draw so many places from all nodes that can be changed, without replacement, each with one change."""
    places = [
        (file, index)
        for package in packages
        for file in sorted((root / package).rglob("*.py"))
        if "migrations" not in file.parts
        for index in range(len(list(_list_changes(ast.parse(file.read_text("utf-8"))))))
    ]
    return [_build_mutant(root, file, index) for file, index in rng.sample(places, number)]


def _build_mutant(root: Path, file: Path, index: int) -> Mutant:
    source = file.read_text("utf-8")
    node, changed = list(_list_changes(ast.parse(source)))[index]
    before, after = ast.get_source_segment(source, node) or "", f"({ast.unparse(changed)})"
    if isinstance(node, ast.keyword | ast.Constant):
        after = after[1:-1]
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    text = source.encode()
    return Mutant(
        file=file.relative_to(root),
        line=node.lineno,
        change=f"{' '.join(before.split())} -> {after}",
        source=(text[:start] + after.encode() + text[start + len(before.encode()) :]).decode(),
    )


def _list_changes(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Every expression that can be changed, with what it is changed into, in the order of the file."""
    for node in _walk_code(tree):
        for change in (_change_comparison, _change_connective, _change_operator, _change_constant, _drop_argument):
            if (changed := change(node)) is not None:
                yield node, changed  # type: ignore[misc]  # each change begins with an expression
        if isinstance(node, ast.If | ast.IfExp | ast.While) and not _is_for_types(node.test):
            yield node.test, ast.UnaryOp(ast.Not(), node.test)


def _walk_code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run, but for annotations, decorators and f-strings (whose parts have no places of their own)."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"} or isinstance(value, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield from _walk_code(child)


def _change_comparison(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Compare) or type(node.ops[0]) not in COMPARISONS:
        return None
    changed = copy.copy(node)
    changed.ops = [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
    return changed


def _change_connective(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.BoolOp):
        return None
    return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _change_operator(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.BinOp) or type(node.op) not in OPERATORS or isinstance(node.left, ast.Constant):
        return None
    return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)


def _change_constant(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bool):
        return ast.Constant(not node.value)
    return ast.Constant(node.value + 1) if isinstance(node.value, int | float) else None


def _drop_argument(node: ast.AST) -> ast.expr | None:
    """A call without its last argument by name."""
    if not isinstance(node, ast.Call) or not node.keywords or node.keywords[-1].arg is None:
        return None
    return ast.Call(node.func, node.args, node.keywords[:-1])


def _is_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
