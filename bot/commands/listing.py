"""Commands that list what they are named after, and have others below them: `hromada people PROJECT`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class ListFirst(TyperGroup):
    """A group whose command `list` need not be written."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` before arguments that begin with no command of the group, and where there are none."""
        named = bool(args) and (args[0] in self.commands or args[0] == "--help")
        if not named and not (self.no_args_is_help and not args):
            args = ["list", *args]
        return list(super().parse_args(ctx, args))
