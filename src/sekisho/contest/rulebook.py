"""Rules as frozen types, read from TOML: of a contest, or of one's own data.

Rules are data: columns, grammar, limits, measures and verdict stand in the file; a built-in contest is a file in
``rulebooks``. The ``kind`` at the top says the shape of the contest's data; a file that says a ``shape`` instead is a
schema of one's own data. An unknown key or an impossible value is refused, all at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from sekisho.contest.history.rules import HistoryRules, parse_history_rules
from sekisho.contest.own_rules import OwnHistory, OwnRecords
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.settings import build_settings, parse_settings, parse_toml
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, UnknownNameError

RULEBOOKS = files("sekisho.contest") / "rulebooks"
MAX_BYTES = 1 << 20

Rulebook = HistoryRules | RecordRules


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
        raise UnknownNameError("rulebook", which, builtin_rules())
    return Path(str(RULEBOOKS / f"{which}.toml"))


def read_rulebook(which: str) -> Rulebook:
    """Return the rules of any contest, built-in or in a TOML file, or of one's own data.

    A contest's ``kind`` says what they are, the ``shape`` of a schema what one's own are.
    What a schema of one's own leaves open is settled by :func:`sekisho.contest.original.open_original`.
    """
    path = rules_path(which)
    text = decode_text(read_bytes(path, max_bytes=MAX_BYTES), path)
    table = parse_toml(text, path)
    if "shape" in table and "kind" not in table:
        return _read_own(table, path)
    if table.get("kind") == Shape.RECORDS:
        return parse_settings(text, RecordRules, source=str(path))
    return parse_history_rules(text, path)


def _read_own(table: Mapping[str, object], path: Path) -> Rulebook:
    if table["shape"] == Shape.RECORDS:
        return build_settings(table, OwnRecords, source=str(path)).rules(path.stem)
    return build_settings(table, OwnHistory, source=str(path)).rules(path.stem)


def read_history_rules(which: str) -> HistoryRules:
    """Return the rules of a contest over histories."""
    rules = read_rulebook(which)
    if not isinstance(rules, HistoryRules):
        raise ParameterError("rules", "be of a contest over histories", which)
    return rules


def read_record_rules(which: str) -> RecordRules:
    """Return the rules of a contest over records."""
    rules = read_rulebook(which)
    if not isinstance(rules, RecordRules):
        raise ParameterError("rules", "be of a contest over records", which)
    return rules
