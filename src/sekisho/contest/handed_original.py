"""What teams are handed of originals, and the scorer that reads their files by it; the referee's truth is not in it.

An original of tables may say in a column which rows are a team's: the team is handed those rows alone, without the
column. Where teams pick one of several originals each is handed out under its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sekisho.contest.open_scorer import open_scorer
from sekisho.contest.rulebook import Rulebook
from sekisho.contest.scoring import Scorer
from sekisho.contest.tables.release import list_originals, read_tables_original
from sekisho.contest.tables.rules import OriginalRules, TablesRules
from sekisho.contest.tables.scorer import TablesScorer
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.whole_files import read_bytes
from sekisho.seeds import Seed

SHARED = "original.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOriginal:
    """A file for a team.

    Attributes:
        team: whose it is; empty for all teams.
        number: which of several it is; empty where there is one.
    """

    team: str
    number: str
    content: bytes


def list_original_files(rules: Rulebook, original: Path) -> tuple[Path, ...]:
    """Return the files that an original is: itself, or one for each choice."""
    return list_originals(original, rules) if isinstance(rules, TablesRules) else (original,)


def list_numbers(rules: Rulebook) -> tuple[str, ...]:
    """Return the numbers of the originals of which a team picks one; one empty number where there is no choice."""
    count = rules.original.choices if isinstance(rules, TablesRules) else 1
    return tuple(map(str, range(1, count + 1))) if count > 1 else ("",)


def hand_out_originals(rules: Rulebook, place: Path) -> Iterator[HandedOriginal]:
    """Yield what teams are handed of the originals in the folder of a round."""
    shared = place / SHARED
    own = sorted((place / "originals").glob("*.csv")) if (place / "originals").is_dir() else []
    for path in [shared] if shared.is_file() else own:
        team = "" if path == shared else path.stem
        number = ""
        if len(list_numbers(rules)) > 1:
            team, _, number = path.stem.rpartition("-")
        yield HandedOriginal(team=team, number=number, content=write_handed(rules, path))


def write_handed(rules: Rulebook, path: Path) -> bytes:
    """Return an original as its team may see it."""
    if not isinstance(rules, TablesRules) or not rules.original.members:
        return read_bytes(path)
    held = read_tables_original(path, rules).table
    return PartTable(columns=tuple(held.columns), header=rules.original.header).write(held)


def open_team_scorer(rules: Rulebook, files: Sequence[Path], round_name: str) -> Scorer:
    """Return what reads a team's files, with the originals that the team was handed, in the order of their numbers.

    Raises:
        InputError, FaultsError: one cannot be read, or breaks the rules.
    """
    if not isinstance(rules, TablesRules):
        return open_scorer(rules, files[0], round_name)
    handed = replace(rules, original=_forget_members(rules.original))
    originals = tuple(read_tables_original(path, handed) for path in files)
    return TablesScorer(rules=handed, originals=originals, seed=Seed(0))


def _forget_members(rules: OriginalRules) -> OriginalRules:
    return replace(rules, members="")
