"""The account of records whose rows stay with an engine."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.data.frame.dataset import Column, Kind, Schema
from sekisho.gate.account.account import Account
from sekisho.gate.account.records import CoverPromise
from sekisho.gate.records.covering import find_roles, make_question
from sekisho.gate.records.engine.owner_scan import find_scanned_unit
from sekisho.gate.records.engine.scan_columns import ScanColumns
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.protect.beyond_memory import EngineRelease, EngineTask


def account_for_scan(
    recipe: RecordsRecipe, task: EngineTask, release: EngineRelease, *, promises: Sequence[CoverPromise]
) -> Account:
    """Return the account of a release that lies with an engine at work.

    Args:
        recipe: what is said of columns; its keys and sensitive columns named, or the schema's.
        task: the file.
        release: made of it.
        promises: what is asked for or promised, as it is counted.
    """
    described = release.terms.layout.described.columns
    names = release.published.names
    listed = tuple(dict.fromkeys((*names, *(one.output_name for one in described))))
    schema = Schema(tuple(Column(name=name, kind=release.kinds.get(name, Kind.CATEGORY)) for name in listed))
    keys, sensitive = find_roles(recipe, described, listed)
    unit = find_scanned_unit(task, release, recipe.unit)
    question = make_question(recipe, schema, unit, keys=keys, sensitive=sensitive, promises=promises)
    return question.account(ScanColumns(scan=release.published))
