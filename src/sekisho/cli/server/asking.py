"""Questions to a contest's server, and its refusals as answers of a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar, cast

import typer

from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.language import chosen_language
from sekisho.server.contest.client import RefusedRequestError
from sekisho.words import Language, Said, join_words

T = TypeVar("T")
SHOWN = 20
HOME = Path("~/.config/sekisho/remote.json")

Config = Annotated[Path, typer.Option("--config", help="Where address and token are kept.", show_default=True)]


def ask(question: Callable[[], T], *, as_json: bool) -> T:
    """Return what the server answers; if it refuses, that is the answer: no."""
    try:
        return question()
    except RefusedRequestError as error:
        _refuse(error, as_json=as_json)


def _refuse(error: RefusedRequestError, *, as_json: bool) -> NoReturn:
    keys = {"accepted": False, "status": error.status, **error.answer}
    errors = cast("list[Mapping[str, object]]", error.answer.get("errors") or [])
    japanese = error.answer.get("error_ja") if chosen_language() is Language.JA else None
    said = str(japanese or error)
    lines = [Said("refused: {said}", said=said), *map(read_message, errors[:SHOWN])]
    Answer(keys=keys, words=join_words(lines, "\n"), good=False).deliver(as_json=as_json)


def read_message(error: Mapping[str, object]) -> str:
    """Return what the server says of an error, in the language of the command where it knows it."""
    japanese = error.get("message_ja") if chosen_language() is Language.JA else None
    return str(japanese or error.get("message", ""))
