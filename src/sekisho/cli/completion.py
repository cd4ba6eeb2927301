"""``sekisho completion``: the script that lets a shell complete our commands and options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer
from sekisho.cli.kit.completion import PLACES, SCRIPTS
from sekisho.data.files.whole_files import write_whole
from sekisho.errors import InputError, say_failure
from sekisho.words import Said


class Shell(StrEnum):
    """A shell that can complete."""

    BASH = "bash"
    FISH = "fish"
    ZSH = "zsh"


def complete(
    shell: Annotated[Shell, typer.Argument(help="Your shell.")],
    install: Annotated[
        bool, typer.Option("--install", help="Write the script where the shell looks for it, below your home folder.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the completion script of a shell, or install it.

    Example: `sekisho completion bash --install`
    """
    script = SCRIPTS[shell]
    if not install:
        give_answer({"shell": shell, "script": script}, script.rstrip(), as_json=as_json)
    place = Path.home() / PLACES[shell]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            place.parent,
            Said("cannot be made a folder: {strerror}", strerror=say_failure(error, Said("unknown reason"))),
        ) from error
    write_whole({place: script.encode()})
    words = (
        Said("written to {place}; open a new shell; have fpath+=~/.zfunc before compinit in ~/.zshrc", place=place)
        if shell is Shell.ZSH
        else Said("written to {place}; open a new shell", place=place)
    )
    give_answer({"shell": shell, "place": str(place)}, words, as_json=as_json)
