"""``sekisho utility``: what is left of the data."""

from __future__ import annotations

import typer

from sekisho.cli.kit.answer import AsJson
from sekisho.cli.kit.files import Deleted, Original, Released, Round, Rules
from sekisho.cli.shapes.verbs import find_verbs


def utility(
    context: typer.Context,
    rules: Rules,
    original: Original,
    released: Released,
    deleted: Deleted = None,
    asked_round: Round = "",
    as_json: AsJson = False,
) -> None:
    """Measure a release by the rules' utility index.

    Example: `sekisho utility pwscup2018 --original T.csv --released A.csv`, and of records, with the verdict on
    each condition, `sekisho utility pwscup2021 --original B.csv --deleted X.csv --released D.csv`
    """
    verbs = find_verbs(rules, context, "utility")
    verbs.measure(original, released, deleted, asked_round).deliver(as_json=as_json)
