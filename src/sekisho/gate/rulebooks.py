"""Terms by name or path: a schema of one's own, or a contest's rules, which are loaded where they are asked for."""

from __future__ import annotations

from pathlib import Path

from sekisho.data.files.settings import read_toml
from sekisho.errors import ParameterError
from sekisho.safety.terms import HistoryTerms, RecordTerms, Terms
from sekisho.utility.schema_terms import build_terms, describes_data
from sekisho.words import Said


def builtin_rules() -> tuple[str, ...]:
    """Return the names of the contests shipped with the package."""
    from sekisho.contest import rulebook

    return rulebook.builtin_rules()


def rules_path(which: str) -> Path:
    """Return the file of a built-in contest, by name, or the TOML file itself, by path."""
    path = Path(which)
    if path.suffix == ".toml":
        return path
    from sekisho.contest import rulebook

    return rulebook.rules_path(which)


def read_terms(which: str) -> Terms:
    """Return what a schema of one's own data says, or the rules of a contest, built-in or in a TOML file.

    What a schema leaves open is settled by :func:`sekisho.data.files.layout.open_original`.
    """
    path = rules_path(which)
    table = read_toml(path)
    if describes_data(table):
        return build_terms(table, path)
    from sekisho.contest import rulebook

    rules = rulebook.read_rulebook(which)
    if not isinstance(rules, HistoryTerms | RecordTerms):
        raise ParameterError("rules", Said("be of a contest over histories or records"), which)
    return rules


def read_history_terms(which: str) -> HistoryTerms:
    """Return the terms of a history."""
    rules = read_terms(which)
    if not isinstance(rules, HistoryTerms):
        raise ParameterError("rules", Said("be of a contest over histories"), which)
    return rules


def read_record_terms(which: str) -> RecordTerms:
    """Return the terms of records."""
    rules = read_terms(which)
    if not isinstance(rules, RecordTerms):
        raise ParameterError("rules", Said("be of a contest over records"), which)
    return rules
