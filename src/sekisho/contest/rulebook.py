"""Rules of contests as frozen types, read from TOML.

Rules are data: columns, grammar, limits, measures and verdict stand in the file; a built-in contest is a file in
``rulebooks``. The ``kind`` at the top says the shape of the contest's data; a file that says a ``shape`` instead is a
schema of one's own data, over which a contest may be held. An unknown key or an impossible value is
refused, all at once.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from sekisho.contest.history.rules import HistoryContestSchema, HistoryRules, build_history_rules
from sekisho.contest.records.rules import RecordContestSchema, RecordRules, RecordRulesFile
from sekisho.contest.tables.rules import TABLES, TablesRules
from sekisho.data.files.settings import build_settings, read_toml
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, UnknownNameError
from sekisho.utility.schema_terms import describes_data
from sekisho.words import Said

RULEBOOKS = files("sekisho.contest") / "rulebooks"

Rulebook = HistoryRules | RecordRules | TablesRules


def builtin_rules() -> tuple[str, ...]:
    """Return the names of the contests shipped with the package."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in RULEBOOKS.iterdir() if entry.name.endswith(".toml"))
    )


def rules_path(which: str) -> Path:
    """Return the file of a built-in contest, by name, or the TOML file itself, by path."""
    path = Path(which)
    if path.suffix == ".toml":
        return path
    if which not in builtin_rules():
        raise UnknownNameError(Said("rulebook"), which, builtin_rules())
    return Path(str(RULEBOOKS / f"{which}.toml"))


def read_rulebook(which: str) -> Rulebook:
    """Return the rules of any contest, built-in or in a TOML file, or of one over data that a schema describes.

    A contest's ``kind`` says what they are, the ``shape`` of a schema what one's own are.
    What a schema of one's own leaves open is settled by :func:`sekisho.data.files.layout.open_original`.
    """
    path = rules_path(which)
    table = read_toml(path)
    if describes_data(table):
        kind = RecordContestSchema if table["shape"] == Shape.RECORDS else HistoryContestSchema
        return build_settings(table, kind, source=str(path)).rules(path.stem)
    if table.get("kind") == Shape.RECORDS:
        return build_settings(table, RecordRulesFile, source=str(path)).rules()
    if table.get("kind") == TABLES:
        return build_settings(table, TablesRules, source=str(path))
    return build_history_rules(table, path)


def read_history_rules(which: str) -> HistoryRules:
    """Return the rules of a contest over histories."""
    rules = read_rulebook(which)
    if not isinstance(rules, HistoryRules):
        raise ParameterError("rules", Said("be of a contest over histories"), which)
    return rules


def read_record_rules(which: str) -> RecordRules:
    """Return the rules of a contest over records."""
    rules = read_rulebook(which)
    if not isinstance(rules, RecordRules):
        raise ParameterError("rules", Said("be of a contest over records"), which)
    return rules


def read_tables_rules(which: str) -> TablesRules:
    """Return the rules of a contest whose releases are only tables."""
    rules = read_rulebook(which)
    if not isinstance(rules, TablesRules):
        raise ParameterError("rules", Said("be of a contest whose releases are tables"), which)
    return rules
