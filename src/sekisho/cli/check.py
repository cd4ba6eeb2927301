"""``sekisho check``: is a file what the rules ask for?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli import recordfiles
from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.kit.files import Original, Rules
from sekisho.contest.history.files import read_guess, read_original, read_published, read_release
from sekisho.contest.records.files import read_record_original, read_record_published, read_record_release
from sekisho.contest.records.rules import RecordRules, read_rulebook
from sekisho.errors import FaultsError, ParameterError

SHOWN = 20


def check(
    rules: Rules,
    original: Original,
    released: Annotated[Path | None, typer.Option(help="The release to check.")] = None,
    published: Annotated[Path | None, typer.Option(help="What was published, to check an attack on it.")] = None,
    guess: Annotated[Path | None, typer.Option(help="The attack to check.")] = None,
    deleted: recordfiles.Deleted = None,
    as_json: AsJson = False,
) -> None:
    """Check a release, or an attack on a published table, against the rules; tell every error at once.

    Example: `sekisho check pwscup2018 --original T.csv --released A.csv`, and of records
    `sekisho check pwscup2021 --original B.csv --released D.csv --deleted X.csv`
    """
    book = read_rulebook(rules)
    combination = "be given either --released, or --published and --guess"
    if isinstance(book, RecordRules):
        if guess is None and published is None:
            records = read_record_original(original, book)
            files = recordfiles.needed("released", released), recordfiles.needed("deleted", deleted)
            answer(lambda: read_record_release(*files, book, records), as_json=as_json)
        elif guess is not None and published is not None and released is None:
            rows = len(read_record_published(published, book))
            answer(lambda: recordfiles.read_attack(book, guess, rows), as_json=as_json)
        raise ParameterError("check", combination, "another combination")
    data = read_original(original, book)
    if released is not None and published is None and guess is None:
        answer(lambda: read_release(released, book, data), as_json=as_json)
    if released is None and published is not None and guess is not None:
        table = read_published(published, book, data)
        answer(lambda: read_guess(guess, book, table, data), as_json=as_json)
    raise ParameterError("check", combination, "another combination")


def answer(read: Callable[[], object], *, as_json: bool) -> None:
    """Read a file and answer whether it is valid."""
    try:
        read()
    except FaultsError as error:
        lines = [str(fault) for fault in error.faults[:SHOWN]]
        rest = error.count - SHOWN
        words = "\n".join(
            [
                f"{error.source}: invalid, {error.count:,} errors",
                *lines,
                *([f"and {rest:,} more"] if rest > 0 else []),
            ]
        )
        errors = [fault.as_dict() for fault in error.faults]
        give({"valid": False, "errors": errors, "count": error.count}, words, as_json=as_json, good=False)
    give({"valid": True, "errors": [], "count": 0}, "valid", as_json=as_json)
