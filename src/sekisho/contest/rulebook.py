"""Contest rules as frozen types, read from TOML.

Rules are data: columns, grammar, limits, measures and verdict stand in the file; a built-in contest is a file in ``rulebooks``. The
``kind`` at the top says the shape of the contest's data. An unknown key or an impossible value is refused, all at once.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from sekisho.contest.history.rules import HistoryRules, parse_history_rules
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.settings import parse_settings, parse_toml
from sekisho.data.files.whole import decode, read_bytes
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
    """Return the rules of any contest, built-in or in a TOML file, as their ``kind`` says."""
    path = rules_path(which)
    text = decode(read_bytes(path, max_bytes=MAX_BYTES), path)
    if parse_toml(text, path).get("kind") == Shape.RECORDS:
        return parse_settings(text, RecordRules, source=str(path))
    return parse_history_rules(text, path)


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
