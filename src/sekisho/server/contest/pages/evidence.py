"""What attacks came to, as a table with strengths and as the reports' own figures, drawn without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sekisho.contest.folder.evaluation import Evaluation
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import Rulebook
from sekisho.contest.rulings.disclosure import show_entry
from sekisho.contest.scoring import AttackScore
from sekisho.contest.standing import RoundResults, TeamStanding
from sekisho.contest.state import ContestState, EntryStatus
from sekisho.report.kit.blocks import Figure
from sekisho.report.pages.contest import chart_threshold, contest_blocks
from sekisho.words import Language, translate

STEPS = 5
FEWEST_GUESSES = 40
"""How far the curve r(n) is shown to a team that has not attacked yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A figure in one language."""

    title: str
    svg: str
    caption: str


def show_attacks(state: ContestState, round_name: str, team: str, at: str) -> dict[str, dict[str, object]]:
    """Return what a team is told of its attacks of a round, by target: of each the last valid file."""
    shown: dict[str, dict[str, object]] = {}
    for target in sorted(state.teams) if team else ():
        entry = state.find_final(round_name, team, target)
        if entry is not None and entry.status is EntryStatus.VALID and target != team:
            shown[target] = show_entry(state, entry, at)
    return shown


def grade(cell: Mapping[str, object]) -> int:
    """Return how near an attack came to breaking a release, from 0 to 5; 5 breaks it. What is not told counts 0."""
    if cell.get("effective"):
        return STEPS
    hits, threshold, risk = cell.get("hits"), cell.get("threshold"), cell.get("risk")
    share = 0.0
    if isinstance(hits, int) and isinstance(threshold, int) and threshold:
        share = hits / threshold
    elif isinstance(risk, float):
        share = risk
    return min(STEPS - 1, int(share * STEPS))


def draw_own_curve(
    rules: Rulebook, team: str, attacks: Mapping[str, Mapping[str, object]], language: Language
) -> Drawing | None:
    """Return the curve r(n) of a contest over histories, with a team's attacks on it as far as their hits are told."""
    if not isinstance(rules, HistoryRules):
        return None
    scores = {
        (team, target): AttackScore(
            claimed=cast("int", cell["claimed"]), hits=cast("int", cell["hits"]), effective=bool(cell["effective"])
        )
        for target, cell in attacks.items()
        if "hits" in cell and "threshold" in cell
    }
    return draw_block(chart_threshold(rules, scores, fewest=FEWEST_GUESSES), language)


def draw_figures(
    rules: Rulebook,
    round_name: str,
    results: RoundResults,
    standings: tuple[TeamStanding, ...],
    language: Language,
) -> list[Drawing]:
    """Return the figures of the report on a round, in one language."""
    evaluation = Evaluation(
        rules=rules,
        round=round_name,
        results=results,
        standings=standings,
        faults=(),
        counts={},
        skipped=(),
        ledger=b"",
    )
    return [draw_block(block, language) for block in contest_blocks(evaluation) if isinstance(block, Figure)]


def draw_block(block: Figure, language: Language) -> Drawing:
    """Return a figure of a report in one language."""
    return Drawing(
        title=translate(block.picture.title, language),
        svg=block.picture.draw(language),
        caption=translate(block.caption, language),
    )
