"""``sekisho contest score``: at home, what a release that is tables is worth, or what an attack on one comes to."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sekisho.cli.contest.entries import gather_files
from sekisho.cli.kit.answer import Answer, AsJson, format_keys
from sekisho.cli.kit.files import Original, Rules
from sekisho.contest.folder.evaluation import list_attack
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.scoring import ANSWERS, GUESS, OWN
from sekisho.contest.tables.scorer import open_tables_scorer
from sekisho.errors import FaultsError, ParameterError
from sekisho.seeds import Seed
from sekisho.words import Said, join_words

SHOWN = 20


def score(
    rules: Rules,
    *,
    original: Original,
    released: Annotated[
        Path | None, typer.Option("--released", help="The release; of several parts also a zip of them.")
    ] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="Of a release of several parts: NAME=FILE, once for each.")
    ] = None,
    guess: Annotated[Path | None, typer.Option("--guess", help="An attack on the release, to judge it.")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="What the referee kept; where it follows from the release, none.")
    ] = None,
    own: Annotated[
        Path | None, typer.Option("--own", help="What the attacker was given, where he is asked about his own people.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a release that is tables and tell its utility; with --guess, judge an attack on it. All errors at once.

    What follows from the referee's secret (hidden rows, tests of the house) is drawn anew here, so that these figures
    may differ from his. Status 1 if a file is invalid.

    Example: `sekisho contest score pwscup2023 --original P.csv --part released=A23.csv --part seed=seed.txt`
    """
    book = read_tables_rules(rules)
    scorer = open_tables_scorer(book, original, Seed(0))
    if answers is not None and guess is None:
        raise ParameterError("--answers", Said("be given together with --guess"), str(answers))
    with TemporaryDirectory() as place:
        files = gather_files(book.release_files, released, None, parts or [], Path(place))
        missing = [name for name in book.release_files if name not in files]
        if missing:
            raise ParameterError("--part", Said("be given for {names}", names=", ".join(missing)), None)
        try:
            release = scorer.read_release(files)
            measured = scorer.measure(release)
            keys: dict[str, object] = {"valid": True, "errors": [], "utility": measured.utility, **measured.detail}
            if guess is not None:
                truth = answers or Path(place) / "truth.csv"
                if answers is None:
                    truth.write_bytes(scorer.publish(release, rng=Seed(0).rng()).secret)
                given = {GUESS: guess, ANSWERS: truth} | ({} if own is None else {OWN: own})
                keys["attack"] = list_attack(scorer.judge(release, given))
        except FaultsError as error:
            errors = [fault.as_dict() for fault in error.faults]
            lines = [Said("{source}: invalid, {count:,} errors", source=error.source, count=error.count)]
            words = join_words([*lines, *map(str, error.faults[:SHOWN])], "\n")
            wrong = {"valid": False, "errors": errors, "count": error.count}
            Answer(keys=wrong, words=words, good=False).deliver(as_json=as_json)
    shown = {name: value for name, value in keys.items() if name not in ("valid", "errors")}
    Answer(keys=keys, words=format_keys(shown)).deliver(as_json=as_json)
