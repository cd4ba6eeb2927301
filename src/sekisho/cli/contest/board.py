"""``sekisho contest board``: the standings of a contest that speaks of totals, from tables of what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.files import Rules
from sekisho.contest.board.tally import BoardAttacker, BoardRelease
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.tables.published import PublishedBoards, tally_folder
from sekisho.words import Said, join_words


def board(
    rules: Rules,
    results: Annotated[Path, typer.Option("--results", help="The folder of main_release.csv and main_attack.csv.")],
    asked_round: Annotated[
        str, typer.Option("--round", help="Whose tables are read; the rules' last round if not given.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Compute totals, attackers' values and ranks from tables of what was measured, as the rules say.

    Totals, values and ranks that stand in the tables are not read. Where earlier rounds are told too, the whole contest
    follows.

    Example: `sekisho contest board pwscup2024 --results results --json`
    """
    book = read_tables_rules(rules)
    boards = tally_folder(results, book, asked_round)
    keys = {"rules": book.name, **boards.as_dict()}
    Answer(keys=keys, words=_describe(boards)).deliver(as_json=as_json)


def _describe(boards: PublishedBoards) -> str:
    lines = [Said("releases, round {round}", round=boards.round), *map(describe_release, boards.board.releases)]
    lines += [Said("attackers, round {round}", round=boards.round), *map(describe_attacker, boards.board.attackers)]
    if boards.overall is not None and boards.overall.releases:
        lines += [Said("releases, all rounds"), *map(describe_release, boards.overall.releases)]
        lines += [Said("attackers, all rounds"), *map(describe_attacker, boards.overall.attackers)]
        joined = boards.overall.joined
        lines += [Said("both boards"), *map(describe_release, joined)] if joined else []
    return join_words(lines, "\n")


def describe_release(line: BoardRelease) -> str:
    """Return a release's line on a board."""
    rank = "–" if not line.rank else str(line.rank)
    if not line.present:
        return Said("{rank:>3}  {team:<16} no release", rank=rank, team=line.team)
    figures = ", ".join(f"{name} {float(value):.6g}" for name, value in line.figures.items())
    return Said(
        "{rank:>3}  {team:<16} {total:.6f}  {figures}",
        rank=rank,
        team=line.team,
        total=float(line.total),
        figures=figures,
    )


def describe_attacker(line: BoardAttacker) -> str:
    """Return an attacker's line on a board."""
    return Said(
        "{rank:>3}  {team:<16} {value:.6f}  {board}",
        rank="–" if line.rank is None else str(line.rank),
        team=line.team,
        value=float(line.value),
        board=line.board,
    )
