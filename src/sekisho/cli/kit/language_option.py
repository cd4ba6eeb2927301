"""The option ``--language``: every command takes it, and it is defined here, once.

It stands apart from what finds out the language: a page of the built manual is shown without what parses options.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from sekisho.cli.kit.language import OPTION
from sekisho.words import Language


def offer_language(command: Any) -> Any:
    """Let a command, and every command below it, take the option; the door has seen to what it says."""
    if hasattr(command, "commands"):
        for each in command.commands.values():
            offer_language(each)
    else:
        command.params.append(_make_option())
    return command


@cache
def _make_option() -> Any:
    app = typer.Typer()

    @app.command()
    def _hold(
        language: Annotated[
            Language | None,
            typer.Option(
                OPTION, help="Language of messages and pages; the locale's when not given.", expose_value=False
            ),
        ] = None,
    ) -> None:
        del language

    return typer.main.get_command(app).params[0]
