"""``sekisho utility``: what is left of the data."""

from __future__ import annotations

from sekisho.cli import linkage, recordfiles
from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.kit.files import Original, Released, Rules
from sekisho.contest.history.files import read_original, read_release
from sekisho.contest.records.rules import RecordRules, read_rulebook
from sekisho.utility import MEASURES


def utility(
    rules: Rules,
    original: Original,
    released: Released,
    deleted: recordfiles.Deleted = None,
    asked_round: linkage.Round = "",
    as_json: AsJson = False,
) -> None:
    """Measure a release by the rules' utility index.

    Example: `sekisho utility pwscup2018 --original T.csv --released A.csv`, and of records, with the verdict on
    each condition, `sekisho utility pwscup2021 --original B.csv --deleted X.csv --released D.csv`
    """
    book = read_rulebook(rules)
    if isinstance(book, RecordRules):
        linkage.measure(book, original, released, deleted, asked_round, as_json=as_json)
        return
    data = read_original(original, book)
    score = MEASURES.make(book.utility.measure).compare(data, read_release(released, book, data))
    parts = "\n".join(f"  {name:<12}{value:.6f}" for name, value in score.detail.items())
    words = f"utility {score.value:.6f} ({score.direction} is better)\n{parts}"
    give({"utility": score.value, "columns": dict(score.detail)}, words, as_json=as_json)
