"""What a person must look at, at the door: how columns are allowed, and how a review is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.roles import read_reasons
from sekisho.data.review import ReleaseReview
from sekisho.words import Said

AllowColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-column",
        help="A column that may leave though it names people, and why: NAME=REASON; repeated. The reason is told.",
    ),
]


def read_allowed(words: Sequence[str] | None) -> dict[str, str]:
    """Return by allowed column its reason.

    Raises:
        ParameterError: it has no reason, or is named twice.
    """
    return read_reasons("--allow-column", words)


def tell_review(source: Path, review: ReleaseReview) -> None:
    """Say on stderr what a person must look at, and which columns were allowed."""
    for warning in review.list_warnings():
        say(Said("{source}: {reason}", source=source, reason=warning))
    for name, reason in review.allowed.items():
        say(Said("{source}: {name} was allowed to leave: {reason}", source=source, name=name, reason=reason))
