"""``sekisho judge``: did an attack refute a release's claim to be safe?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson
from sekisho.cli.kit.files import Guessed, Round, Rules
from sekisho.cli.shapes.files import JudgeFiles
from sekisho.cli.shapes.verbs import find_verbs
from sekisho.safety.rejection import Bound


def judge(
    context: typer.Context,
    rules: Rules,
    *,
    guess: Guessed,
    original: Annotated[Path | None, typer.Option("--original", help="Of a history: the original data.")] = None,
    released: Annotated[Path | None, typer.Option("--released", help="Of a history: the release handed in.")] = None,
    answers: Annotated[Path | None, typer.Option("--answers", help="Of records: Ea, the referee's answers.")] = None,
    asked_round: Round = "",
    bound: Annotated[Bound, typer.Option(help="The contest's union bound or the exact worst case.")] = Bound.UNION,
    as_json: AsJson = False,
) -> None:
    """Judge an attack: exit status 1 if it is effective, so that the release is unsafe.

    Example: `sekisho judge pwscup2018 --original T.csv --released A.csv --guess F1.csv`, and of records
    `sekisho judge pwscup2021 --answers Ea.csv --guess E.csv`
    """
    files = JudgeFiles(guess=guess, original=original, released=released, answers=answers)
    verbs = find_verbs(rules, context, "judge")
    verbs.judge(files, bound=bound, round_name=asked_round).deliver(as_json=as_json)
