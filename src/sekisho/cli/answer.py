"""How every command answers: one JSON object on stdout when asked, otherwise words; messages go to stderr.

What the exit status means is in ``sekisho.cli.status``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

import typer

from sekisho.cli.printing import print_json, print_words
from sekisho.cli.status import ExitStatus, cut_short
from sekisho.data.exact import parse_exact
from sekisho.errors import ParameterError
from sekisho.seeds import Seed

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
AskedSeed = Annotated[
    int | None, typer.Option("--seed", help="Seed of the randomness; drawn and printed when not given.")
]


def give(answer: Mapping[str, object], words: str, *, as_json: bool, good: bool = True, review: bool = False) -> None:
    """Print the answer and leave.

    The status is 0 if the answer is good, 1 if it is no, 3 if a person must look at it, 130 if the work was cut short.
    """
    if as_json:
        print_json(answer)
    else:
        print_words(words)
    status = ExitStatus.NO if not good else ExitStatus.REVIEW if review else ExitStatus.GOOD
    raise typer.Exit(ExitStatus.INTERRUPTED if cut_short.get() else status)


def say(message: str) -> None:
    """Tell the user something beside the answer, on stderr."""
    typer.echo(message, err=True)


def say_interrupted(kept: str) -> None:
    """Tell what an interruption leaves, on stderr; the answer that follows leaves with status 130."""
    cut_short.set(True)
    say(f"interrupted: {kept}")


def settled(asked: int | None) -> Seed:
    """Return the seed to use: the one asked for, or a fresh one, said on stderr."""
    if asked is not None:
        return Seed(asked)
    seed = Seed.drawn()
    say(f"seed {seed.value}")
    return seed


def fraction(name: str, text: str) -> Fraction:
    """Return a number written as ``1/3`` or ``0.0005``."""
    try:
        return parse_exact(text)
    except ValueError as error:
        raise ParameterError(name, "be a fraction such as 1/3 or a decimal", text) from error
