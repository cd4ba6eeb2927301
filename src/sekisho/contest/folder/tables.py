"""Standings and attacks as tables for spreadsheets: UTF-8 with its mark, and no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from sekisho.contest.folder.evaluation import Evaluation
from sekisho.contest.standing import RoundResults, TeamStanding, digest_standings, list_standings

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""
MARK = b"\xef\xbb\xbf"


def write_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as CSV; a text that would be run as a formula gets an apostrophe before it."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_escape_formula(cell) for cell in head])
    writer.writerows([[_escape_formula(cell) for cell in row] for row in rows])
    return MARK + stream.getvalue().encode()


def _escape_formula(cell: object) -> object:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def write_matrix(results: RoundResults) -> bytes:
    """Return one line for each attack that was made, and one for each that was not."""
    head = ("attacker", "target", "claimed", "hits", "threshold", "risk", "effective")
    rows: list[tuple[object, ...]] = [
        (attacker, target, score.claimed, score.hits, score.threshold, score.risk, score.effective)
        for (attacker, target), score in sorted(results.attacks.items())
    ]
    rows += [(attacker, target, None, None, None, None, None) for attacker, target in results.list_missing()]
    return write_table(head, sorted(rows, key=lambda row: (str(row[0]), str(row[1]))))


def write_standings_table(standings: Sequence[TeamStanding]) -> bytes:
    """Return the standings, a line a team."""
    head = ("rank", "team", "utility", "risk", "attack", "survives", "broken by", "breaks")
    rows = [
        (
            each.rank,
            each.team,
            each.utility,
            each.risk,
            each.attack,
            each.survives,
            " ".join(each.broken_by),
            " ".join(each.breaks),
        )
        for each in standings
    ]
    return write_table(head, rows)


def write_standings(standings: Sequence[TeamStanding]) -> bytes:
    """Return the standings and their digest as JSON for people and programs."""
    content = {"standings": list_standings(standings), "digest": digest_standings(standings)}
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def write_tables(evaluation: Evaluation) -> dict[str, bytes]:
    """Return the files of an evaluation, by name, its page aside."""
    return {
        "matrix.csv": write_matrix(evaluation.results),
        "standings.csv": write_standings_table(evaluation.standings),
        "standings.json": write_standings(evaluation.standings),
        "ledger.jsonl": evaluation.ledger,
    }
