"""The scorer that rules ask for: an original is read under them, and what they leave open is settled by it."""

from __future__ import annotations

from pathlib import Path

from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.history.scorer import HistoryScorer
from sekisho.contest.records.scorer import RecordsScorer
from sekisho.contest.rulebook import Rulebook
from sekisho.contest.scoring import Scorer
from sekisho.contest.tables.rules import TablesRules
from sekisho.contest.tables.scorer import open_tables_scorer
from sekisho.data.files.layout import open_original
from sekisho.seeds import Seed


def open_scorer(rules: Rulebook, original: Path, round_name: str = "", *, seed: Seed | None = None) -> Scorer:
    """Return the scorer of a round: that of the rules' shape, with the original in hand.

    The seed is the referee's, of contests whose releases are tables; without one, that of files that came by e-mail.

    Raises:
        InputError, FaultsError: the original cannot be read, or breaks the rules.
        ParameterError: the rules have no such round.
    """
    if isinstance(rules, HistoryRules):
        data, settled = open_original(original, rules)
        return HistoryScorer(rules=settled, original=data.data, bound=rules.contest.bound)
    if isinstance(rules, TablesRules):
        return open_tables_scorer(rules, original, seed or Seed(0))
    rules.find_round(round_name)
    data, book = open_original(original, rules)
    return RecordsScorer(rules=book, original=data.data, round=round_name or rules.round)
