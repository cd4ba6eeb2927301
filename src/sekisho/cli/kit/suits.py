"""Options that do not suit the data at hand are refused, never ignored."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from sekisho.errors import Fault, FaultsError
from sekisho.words import Said


def list_given_options(context: typer.Context) -> dict[str, str]:
    """Return the options that the user gave himself: parameter to option."""
    options = {part.name: part.opts[0] for part in context.command.params}
    return {name: option for name, option in options.items() if _is_given(context, name)}


def refuse_unsuited(context: typer.Context, data: str, unsuited: Iterable[str]) -> None:
    """Refuse the parameters that do not suit, if they were given; all at once.

    Args:
        context: of the command.
        data: what they do not suit, in words.
        unsuited: the parameters.

    Raises:
        FaultsError: some of them were given.
    """
    given = list_given_options(context)
    faults = [
        Fault(
            row=0,
            column=given[name],
            rule="suits",
            value=given[name],
            message=Said("{given} does not suit {data}", given=given[name], data=data),
        )
        for name in unsuited
        if name in given
    ]
    if faults:
        raise FaultsError(Said("options"), faults)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
