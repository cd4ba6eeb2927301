"""Sekisho, the checkpoint that personal data pass before they leave.

The names below are the public ones; each is imported when it is first used, so that ``import sekisho`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sekisho.attack.guess import Guess
    from sekisho.attack.history.chance import Chance
    from sekisho.attack.history.containment import Containment
    from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
    from sekisho.attack.history.unique_rows import UniqueRows
    from sekisho.contest.history.files import read_original, read_published, read_release
    from sekisho.contest.history.referee import judge
    from sekisho.contest.original import open_original
    from sekisho.contest.own import own_rules
    from sekisho.contest.rulebook import read_history_rules, read_record_rules, read_rulebook
    from sekisho.data.files.own.reading import read_own
    from sekisho.data.files.own.schema_file import SchemaFile
    from sekisho.data.files.own.schema_options import schema_from_options
    from sekisho.data.files.published import published_frame
    from sekisho.data.frame.convert import to_arrow, to_pandas
    from sekisho.data.frame.dataset import Dataset
    from sekisho.data.frame.release import MaskedTable, Release
    from sekisho.data.frame.schema import Column, Kind, Role, Schema
    from sekisho.data.synthetic.histories import SyntheticHistory
    from sekisho.protect.history.groups import Groups
    from sekisho.protect.history.pseudonymise import Pseudonymise
    from sekisho.protect.history.similar_length import SimilarLength
    from sekisho.safety.rejection import Bound, RejectionRule
    from sekisho.seeds import Seed
    from sekisho.utility.cell_error import CellError

__all__ = [
    "Bound",
    "CellError",
    "Chance",
    "Column",
    "Containment",
    "Dataset",
    "Groups",
    "Guess",
    "Kind",
    "MaskedTable",
    "MaximumKnowledge",
    "Pseudonymise",
    "RejectionRule",
    "Release",
    "Role",
    "Schema",
    "SchemaFile",
    "Seed",
    "SimilarLength",
    "SyntheticHistory",
    "UniqueRows",
    "judge",
    "open_original",
    "own_rules",
    "published_frame",
    "read_history_rules",
    "read_original",
    "read_own",
    "read_published",
    "read_record_rules",
    "read_release",
    "read_rulebook",
    "schema_from_options",
    "to_arrow",
    "to_pandas",
]

_HOMES = {
    "attack.history.chance": ("Chance",),
    "attack.guess": ("Guess",),
    "attack.history.containment": ("Containment",),
    "attack.history.maximum_knowledge": ("MaximumKnowledge",),
    "attack.history.unique_rows": ("UniqueRows",),
    "contest.history.referee": ("judge",),
    "contest.original": ("open_original",),
    "contest.own": ("own_rules",),
    "contest.rulebook": ("read_history_rules", "read_record_rules", "read_rulebook"),
    "contest.history.files": ("read_original", "read_published", "read_release"),
    "data.files.own.reading": ("read_own",),
    "data.files.published": ("published_frame",),
    "data.files.own.schema_file": ("SchemaFile",),
    "data.files.own.schema_options": ("schema_from_options",),
    "data.frame.convert": ("to_arrow", "to_pandas"),
    "data.frame.dataset": ("Dataset",),
    "data.frame.release": ("MaskedTable", "Release"),
    "data.frame.schema": ("Column", "Kind", "Role", "Schema"),
    "data.synthetic.histories": ("SyntheticHistory",),
    "protect.history.groups": ("Groups",),
    "protect.history.pseudonymise": ("Pseudonymise",),
    "protect.history.similar_length": ("SimilarLength",),
    "safety.rejection": ("Bound", "RejectionRule"),
    "seeds": ("Seed",),
    "utility.cell_error": ("CellError",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"sekisho.{home}"), name)
    message = f"module 'sekisho' has no attribute {name!r}"
    raise AttributeError(message)
