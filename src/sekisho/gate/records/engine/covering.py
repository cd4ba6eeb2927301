"""The account of records whose rows stay with an engine."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.data.frame.dataset import Column, Kind, Role, Schema
from sekisho.gate.account.account import Account
from sekisho.gate.account.records import Promise
from sekisho.gate.records.covering import make_question
from sekisho.gate.records.engine.owner_scan import find_scanned_unit
from sekisho.gate.records.engine.scan_columns import ScanColumns
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.protect.beyond_memory import EngineRelease, EngineTask


def account_for_scan(
    recipe: RecordsRecipe, task: EngineTask, release: EngineRelease, *, promises: Sequence[Promise]
) -> Account:
    """Return the account of a release that lies with an engine at work.

    Args:
        recipe: what is said of columns; its keys and sensitive columns named, or the schema's.
        task: the file.
        release: made of it.
        promises: what is asked for or promised, as it is counted.
    """
    described = release.terms.layout.described.columns
    given = [column for column in described if column.role_given]  # a role that nobody gave is nobody's word
    by_role = {role: tuple(column.output_name for column in given if column.role is role) for role in Role}
    names = release.published.names
    listed = tuple(dict.fromkeys((*names, *(one.output_name for one in described))))
    schema = Schema(tuple(Column(name=name, kind=release.kinds.get(name, Kind.CATEGORY)) for name in listed))
    sensitive = recipe.sensitive or by_role[Role.SENSITIVE]
    keys = recipe.keys or tuple(name for name in by_role[Role.QUASI] if name not in sensitive)
    unit = find_scanned_unit(task, release, recipe.unit)
    question = make_question(recipe, schema, unit, keys=keys, sensitive=sensitive, promises=promises)
    return question.account(ScanColumns(scan=release.published))
