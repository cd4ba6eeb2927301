"""``sekisho check``: is a file what the rules ask for?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.files import Deleted, Original, Rules
from sekisho.cli.shapes.files import CheckFiles
from sekisho.cli.shapes.verbs import find_verbs
from sekisho.errors import FaultsError
from sekisho.safety.pseudonyms import PseudonymPattern
from sekisho.words import Said, join_words

SHOWN = 20


def check(
    context: typer.Context,
    rules: Rules,
    original: Original,
    released: Annotated[Path | None, typer.Option(help="The release to check.")] = None,
    published: Annotated[Path | None, typer.Option(help="What was published, to check an attack on it.")] = None,
    guess: Annotated[Path | None, typer.Option(help="The attack to check.")] = None,
    deleted: Deleted = None,
    as_json: AsJson = False,
) -> None:
    """Check a release, or an attack on a published table, against the rules; tell every error at once.

    Example: `sekisho check pwscup2018 --original T.csv --released A.csv`, and of records
    `sekisho check pwscup2021 --original B.csv --released D.csv --deleted X.csv`
    """
    files = CheckFiles(original=original, released=released, published=published, guess=guess, deleted=deleted)
    answer_check(find_verbs(rules, context, "check").check(files)).deliver(as_json=as_json)


def answer_check(read: Callable[[], PseudonymPattern | None]) -> Answer:
    """Read a file and answer whether it is valid; pseudonyms that tell names break no rule and are told."""
    try:
        pattern = read()
    except FaultsError as error:
        rest = error.count - SHOWN
        lines = [
            Said("{source}: invalid, {count:,} errors", source=error.source, count=error.count),
            *map(str, error.faults[:SHOWN]),
            *([Said("and {rest:,} more", rest=rest)] if rest > 0 else []),
        ]
        errors = [fault.as_dict() for fault in error.faults]
        keys = {"valid": False, "errors": errors, "count": error.count}
        return Answer(keys=keys, words=join_words(lines, "\n"), good=False)
    keys: dict[str, object] = {"valid": True, "errors": [], "count": 0}
    if pattern is None:
        return Answer(keys=keys, words=Said("valid"))
    warning = Said("warning: {pattern}: they were hardly drawn at random", pattern=pattern)
    words = join_words([Said("valid"), warning], "\n")
    return Answer(keys=keys | {"pseudonyms": pattern.as_dict()}, words=words)
