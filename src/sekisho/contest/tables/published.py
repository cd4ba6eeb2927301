"""Boards from published tables of results: what was measured is read, totals, values and ranks are computed.

::

    main_release.csv    team, utility, ...           a line a team (and ``data``, where a team has several sets)
    main_attack.csv     target, attacker, figure     a line an attack; own attacks are left out
    main_attacker.csv   attacker, ...                only read for values of an earlier round
    main_phase.csv      team, utility, ...           before teams attack, when only the house has attacked

What the rules name otherwise, their ``[results]`` say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from sekisho.contest.board.overall import OverallBoard, WeighedRound, weigh_boards
from sekisho.contest.board.rules import PENALTY, UTILITY, AbsentRank, AttackerRules, RoundsBy, make_exact, name_figure
from sekisho.contest.board.tally import (
    AttackKey,
    BoardAttacker,
    BoardRelease,
    BoardResults,
    PublishedSet,
    RoundBoard,
    rank_attackers,
    rank_releases,
    tally_round,
)
from sekisho.contest.rules import ContestRules
from sekisho.contest.tables.rules import ResultsRules, TablesRules
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import read_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.values import parse_exact
from sekisho.errors import Fault, FaultsError, InputError, MissingFileError, ParameterError
from sekisho.words import Said

TEAM, TARGET, ATTACKER, DATA = "team", "target", "attacker", "data"
PHASE = "phase"
"""The table of what was measured at the end of the phase before attacks."""
NOTHING = ("", "-", "NA")
"""How tables write that there is no figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBoards:
    """The boards of a round, and of the contest up to it where its earlier rounds are told."""

    round: str
    board: RoundBoard
    overall: OverallBoard | None

    def as_dict(self) -> dict[str, object]:
        """Return the boards as plain data for JSON."""
        return {
            "round": self.round,
            "releases": [line.as_dict() for line in self.board.releases],
            "attackers": [line.as_dict() for line in self.board.attackers],
            "overall": None if self.overall is None else self.overall.as_dict(),
        }


def tally_folder(
    folder: Path, rules: TablesRules, round_name: str = "", *, before_attacks: bool = False
) -> PublishedBoards:
    """Return the boards that tables of results in a folder give.

    Args:
        folder: of the tables.
        rules: of the contest.
        round_name: the rules' usual one if empty.
        before_attacks: whether it is the standing at the end of anonymisation, when only the house has attacked.

    Raises:
        InputError, FaultsError: a table is missing or malformed; everything that is wrong with one at once.
        ParameterError: the rules have no such round.
    """
    contest = rules.settle_contest()
    name = round_name or rules.usual_round
    known = {written: each for each, written in rules.results.rounds.items()}
    name = name if name in contest.round_names else known.get(name, name)
    if name not in contest.round_names:
        raise ParameterError(
            "--round", Said("be one of {round_names}", round_names=", ".join(contest.round_names)), round_name
        )
    work = _Folder(folder=folder, rules=rules, contest=contest)
    if before_attacks:
        releases = work.tally(name, work.read_phase(name)).releases
        return PublishedBoards(round=name, board=RoundBoard(releases=releases, attackers=()), overall=None)
    board = work.tally(name, work.read(name))
    upto = contest.round_names[: contest.round_names.index(name) + 1]
    return PublishedBoards(round=name, board=board, overall=work.weigh(upto, board))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    folder: Path
    rules: TablesRules
    contest: ContestRules

    @property
    def results(self) -> ResultsRules:
        return self.rules.results

    @property
    def attackers(self) -> AttackerRules:
        return self.contest.attackers or AttackerRules()

    def find(self, round_name: str, table: str) -> Path:
        """Return where a table lies: with the name of its round before it, or alone."""
        named = self.folder / f"{self.results.rounds.get(round_name, round_name)}_{table}.csv"
        alone = self.folder / f"{table}.csv"
        return alone if alone.is_file() and not named.is_file() and len(self.contest.rounds) == 1 else named

    def tally(self, round_name: str, results: BoardResults) -> RoundBoard:
        ranking = self.contest.ranking
        board = tally_round(
            results,
            self.rules.board,
            self.attackers.in_round(round_name),
            ties=ranking.ties or (),
            absent=ranking.absent or AbsentRank.LAST,
        )
        aside = self.results.house  # whom a column beside the releases tells of: he stands on no board
        return replace(board, attackers=tuple(line for line in board.attackers if line.team not in aside))

    def read(self, round_name: str) -> BoardResults:
        """Return what was measured in a round."""
        attacks: dict[AttackKey, Fraction] = {}
        hunters: set[str] = set()
        for each in self.rules.board.protection:
            path = self.find(round_name, self.results.attacks.get(each.name, "attack"))
            for (attacker, target), figure in read_attacks(path).items():
                attacks[each.name, attacker, target] = figure
                hunters.add(attacker)
        targets = {target for _, _, target in attacks}
        releases, house = self.read_releases(round_name, self.results.releases)
        teams = sorted({*releases, *hunters, *(team for team, _ in targets)} - self.rules.board.house)
        teams = [team for team in teams if team != self.results.committee]
        absent = {team for team in teams if releases.get(team) is None}
        sets = targets | {(team, "") for team in teams if not any(part for _, part in targets)}
        return BoardResults(
            releases={team: releases.get(team) for team in teams},
            sets=frozenset(each for each in sets if each[0] not in absent),
            attacks=attacks | house,
        )

    def read_phase(self, round_name: str) -> BoardResults:
        """Return what was measured before teams attacked."""
        releases, house = self.read_releases(round_name, PHASE)
        sets = frozenset((team, "") for team, figures in releases.items() if figures is not None)
        return BoardResults(releases=releases, sets=sets, attacks=house)

    def read_releases(
        self, round_name: str, table: str
    ) -> tuple[dict[str, Mapping[str, Fraction] | None], dict[AttackKey, Fraction]]:
        """Return the measured figures by team, and what attackers of the house came to; nothing found is no release."""
        path = self.find(round_name, table)
        releases: dict[str, dict[str, Fraction]] = {}
        house: dict[AttackKey, Fraction] = {}
        for row in read_rows(path, (TEAM,)):
            team, part = row[TEAM], row.get(DATA, "")
            figures = {
                name_figure(name, part): _parse(path, row, name)
                for name in (UTILITY, PENALTY)
                if row.get(name, "") not in NOTHING
            }
            releases.setdefault(team, {}).update(figures)
            for each in self.rules.board.protection:
                for name, column in self.results.house.items():
                    if name in each.house and row.get(column, "") not in NOTHING:
                        kept = make_exact(each.most) - make_exact(each.per) * _parse(path, row, column)
                        house[each.name, name, (team, part)] = kept
        present = {team for team, figures in releases.items() if any(figures.values())}
        kept = {key: figure for key, figure in house.items() if key[2][0] in present}
        return {team: figures if team in present else None for team, figures in releases.items()}, kept

    def weigh(self, rounds: Sequence[str], last: RoundBoard) -> OverallBoard | None:
        """Return the contest up to a round; None where an earlier round is not told."""
        weights = {each.name: make_exact(each.weight) for each in self.contest.rounds}
        boards: list[WeighedRound] = []
        for name in rounds:
            board = last if name == rounds[-1] else self.read_earlier(name, rounds[-1])
            if board is None:
                return None
            boards.append(WeighedRound(name=name, weight=weights[name], board=board))
        by = self.contest.rounds_by or RoundsBy()
        return weigh_boards(boards, by, self.attackers, self.rules.board.house)

    def read_earlier(self, name: str, last: str) -> RoundBoard | None:
        """Return the boards of an earlier round, from its own tables or from columns beside those of the last."""
        if self.find(name, self.results.releases).is_file():
            return self.tally(name, self.read(name))
        column, values = self.results.earlier.get(name, ""), self.results.earlier_attackers.get(name, "")
        releases, hunters = self.find(last, self.results.releases), self.find(last, ATTACKER)
        if not column or not values or not hunters.is_file():
            return None
        told, kept = read_rows(releases, (TEAM,)), read_rows(hunters, (ATTACKER,))
        if any(name not in row for rows, name in ((told, column), (kept, values)) for row in rows[:1]):
            return None
        totals = {row[TEAM]: _parse(releases, row, column) for row in told}
        value = {row[ATTACKER]: _parse(hunters, row, values) for row in kept}
        return RoundBoard(
            releases=rank_releases(
                BoardRelease(team=team, total=total, present=bool(total)) for team, total in totals.items()
            ),
            attackers=rank_attackers(
                (BoardAttacker(team=team, value=each) for team, each in value.items()), frozenset(), self.attackers
            ),
        )


def read_attacks(path: Path) -> dict[tuple[str, PublishedSet], Fraction]:
    """Return the figure of every attack in a table whose last column it is; own attacks are passed over."""
    rows = read_rows(path, (TARGET, ATTACKER))
    figure = next(reversed(rows[0])) if rows else ""
    if figure in (TARGET, ATTACKER, DATA):
        raise InputError(path, Said("has no column of figures after target and attacker"))
    return {
        (row[ATTACKER], (row[TARGET], row.get(DATA, ""))): _parse(path, row, figure)
        for row in rows
        if row[ATTACKER] != row[TARGET] and row[figure] not in NOTHING
    }


def read_rows(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """Return the lines of a table of results as text by column."""
    if not path.is_file():
        raise MissingFileError(path)
    frame = read_table(path, CsvForm(separator=",", header=True, left_out=LeftOut.NOTHING)).frame
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise InputError(path, Said("has no column {names}", names=", ".join(missing)))
    return [{name: "" if cell is None else str(cell).strip() for name, cell in row.items()} for row in frame.to_dicts()]


def _parse(path: Path, row: Mapping[str, str], name: str) -> Fraction:
    text = row.get(name, "")
    if text in NOTHING:
        return Fraction(0)
    try:
        return parse_exact(text)
    except ValueError as error:
        message = Said(
            "{column} of {team} is no number: {value}", column=name, team=next(iter(row.values())), value=text
        )
        raise FaultsError(path, [Fault(row=0, column=name, rule="number", value=text, message=message)]) from error
