"""How every command answers: one JSON object on stdout when asked, otherwise words; messages go to stderr.

What the exit status means is in ``sekisho.cli.kit.answer``.

What goes to stdout, whatever it can hold: a name of a file may be no text, and a terminal may know no Japanese.

What an exit status means, the same for every command.

An interruption is never lost and never shown as a traceback.

It may arrive while compiled code calls back into Python, in a finaliser or in a callback of a foreign library; there
Python can only print it and go on. Such an interruption is delivered again, to the main thread, where the work is ended
or its best so far kept.
"""

from __future__ import annotations

import _thread
import json
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sekisho.cli.kit.language import tell_keys, tell_words
from sekisho.data.files.values import parse_exact
from sekisho.data.files.whole_files import write_whole
from sekisho.errors import ParameterError
from sekisho.seeds import Seed
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # the gate, which most commands do not need
    from sekisho.gate.ending import Ending
    from sekisho.gate.outcome import Verdict


class KeepingInterrupt(KeyboardInterrupt):
    """An interruption that left no answer, but something: what, is its only argument, in words."""


def deliver_interruptions() -> None:
    """Let an interruption end the work wherever it arrives."""
    sys.unraisablehook = _deliver_again


def _deliver_again(unraisable: Any) -> None:
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(unraisable)


class ExitStatus(IntEnum):
    """What a command's exit status means.

    Attributes:
        GOOD: done, and the answer is good.
        NO: done, and the answer to the question that the command was asked is no.
        NO_ANSWER: wrong usage, an option that does not suit the data, an unreadable or malformed input.
        REVIEW: an answer that a person must look at.
        FAULT: a fault of ours.
        INTERRUPTED: interrupted; what was promised to be kept is written, and said.
    """

    GOOD = 0
    NO = 1
    NO_ANSWER = 2
    REVIEW = 3
    FAULT = 70
    INTERRUPTED = 130


cut_short: ContextVar[bool] = ContextVar("cut_short", default=False)
"""Whether the work of this command was interrupted and its answer is what was kept."""


def start_uninterrupted() -> None:
    """Forget the interruptions of an earlier command of this process."""
    cut_short.set(False)


MOST_LINES = 25
"""So many lines stand below an ending, unless all are asked for."""


def print_json(answer: Mapping[str, object]) -> None:
    """Print one JSON object; what stdout cannot write is escaped as JSON does."""
    text = json.dumps(answer, ensure_ascii=False)
    typer.echo(text if _is_writable(text) else json.dumps(answer))


def print_words(words: str) -> None:
    """Print words; what stdout cannot write is shown by its number."""
    typer.echo(
        words if _is_writable(words) else words.encode(_find_encoding(), "backslashreplace").decode(_find_encoding())
    )


def _is_writable(text: str) -> bool:
    try:
        text.encode(_find_encoding())
    except UnicodeEncodeError:
        return False
    return True


def _find_encoding() -> str:
    return sys.stdout.encoding or "utf-8"


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Print all there is to say, not only what matters most.")]
AskedSeed = Annotated[
    int | None, typer.Option("--seed", help="Seed of the randomness; drawn and printed when not given.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a verb has to tell.

    Attributes:
        keys: for JSON.
        words: for people.
        good: whether the answer to the question asked is yes.
        review: whether a person must look at it.
        files: what is to be written, whole or not at all.
        ending: of a release the three lines above all others; None where there is none.
    """

    keys: Mapping[str, object]
    words: str
    good: bool = True
    review: bool = False
    files: Mapping[Path, bytes] = field(default_factory=dict[Path, bytes])
    ending: Ending | None = None

    def judged(self, verdict: Verdict) -> Answer:
        """Return it with the exit status of what the library decided."""
        return replace(self, good=verdict != "refuse", review=verdict == "review")

    def deliver(self, *, as_json: bool, verbose: bool = False) -> NoReturn:
        """Write the files, print the answer and leave."""
        write_whole(self.files)
        keys, words = self.keys, self.words
        if self.ending is not None:
            keys = {"ending": self.ending.as_dict(), **keys}
            words = put_below(self.ending, words, verbose=verbose)
        give_answer(keys, words, as_json=as_json, good=self.good, review=self.review)


def put_below(ending: Ending, words: str, *, verbose: bool) -> str:
    """Return an ending's three lines and what stands below them: a few lines, unless all are asked for."""
    lines = tell_words(words).splitlines()
    rest = len(lines) - MOST_LINES
    if rest > 0 and not verbose:
        lines = [*lines[: MOST_LINES - 1], tell_words(Said("… {rest} more lines: --verbose", rest=rest + 1))]
    return "\n".join([*map(tell_words, ending.list_lines()), "", *lines])


def give_answer(
    answer: Mapping[str, object], words: str, *, as_json: bool, good: bool = True, review: bool = False
) -> NoReturn:
    """Print the answer and leave.

    The status is 0 if the answer is good, 1 if it is no, 3 if a person must look at it, 130 if the work was cut short.
    """
    if as_json:
        print_json(tell_keys(answer))
    else:
        print_words(tell_words(words))
    status = ExitStatus.NO if not good else ExitStatus.REVIEW if review else ExitStatus.GOOD
    raise typer.Exit(ExitStatus.INTERRUPTED if cut_short.get() else status)


def say(message: str) -> None:
    """Tell the user something beside the answer, on stderr."""
    typer.echo(tell_words(message), err=True)


def say_interrupted(kept: str) -> None:
    """Tell what an interruption leaves, on stderr; the answer that follows leaves with status 130."""
    cut_short.set(True)
    say(Said("interrupted: {kept}", kept=kept))


def settle_seed(asked: int | None) -> Seed:
    """Return the seed to use: the one asked for, or a fresh one, said on stderr."""
    if asked is not None:
        return Seed(asked)
    seed = Seed.draw()
    say(Said("seed {seed}", seed=seed.value))
    return seed


def parse_fraction(name: str, text: str) -> Fraction:
    """Return a number written as ``1/3`` or ``0.0005``."""
    try:
        return parse_exact(text)
    except ValueError as error:
        raise ParameterError(name, Said("be a fraction such as 1/3 or a decimal"), text) from error


def format_keys(keys: Mapping[str, object]) -> str:
    """Return an answer's keys as lines for people: figures rounded, each key in its column."""
    lines = [Said("{key:<16} {value}", key=key, value=_format_figure(value)) for key, value in keys.items()]
    return join_words(lines, "\n")


def _format_figure(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
