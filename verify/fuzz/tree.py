"""The commands that there are, asked of the command line itself, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from sekisho.cli import app


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command: its words, and its options with whether each takes a value."""

    name: str
    options: dict[str, bool]


def commands() -> dict[str, Command]:
    """Return every command by its words, such as ``table suppress``."""
    return {command.name: command for command in _walk(typer.main.get_command(app), ())}


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[Command]:
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from _walk(command.get_command(None, name), (*words, name))
        return
    options = {
        option: not getattr(parameter, "is_flag", False)
        for parameter in command.params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--") and option != "--help"
    }
    yield Command(name=" ".join(words), options=options)
