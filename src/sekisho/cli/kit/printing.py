"""What goes to stdout, whatever it can hold: a name of a file may be no text, and a terminal may know no Japanese."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import typer


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
