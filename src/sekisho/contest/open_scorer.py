"""The scorer that rules ask for: an original is read under them, and what they leave open is settled by it."""

from __future__ import annotations

from pathlib import Path

from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.history.scorer import HistoryScorer
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.records.scorer import RecordsScorer
from sekisho.contest.rulebook import Rulebook
from sekisho.contest.scoring import Scorer
from sekisho.data.files.layout import open_original
from sekisho.errors import ParameterError
from sekisho.words import Said


def open_scorer(rules: Rulebook, original: Path, round_name: str = "") -> Scorer:
    """Return the scorer of a round: that of the rules' shape, with the original in hand.

    Raises:
        InputError, FaultsError: the original cannot be read, or breaks the rules.
        ParameterError: the rules have no such round.
    """
    if isinstance(rules, HistoryRules):
        data, settled = open_original(original, rules)
        return HistoryScorer(rules=settled, original=data.data, bound=rules.contest.bound)
    if not isinstance(rules, RecordRules):
        raise ParameterError("rules", Said("be of a contest over histories or records"), rules.name)
    rules.find_round(round_name)
    data, book = open_original(original, rules)
    return RecordsScorer(rules=book, original=data.data, round=round_name or rules.round)
