"""Questions about keys that may be written more coarsely: who is alone then, what a tree's steps come to, which fits.

A key is plain data: ``{"name": …, "tree": the text of its file or nothing, "step": …}``. Counts are from
the text that stands in the file, or would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.settings import build_settings
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.rule_labels import apply_rule
from sekisho.data.trees.rule_proposal import OTHER, find_tree_kind, join_rare, propose_rule
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_files import parse_edges, write_tree
from sekisho.data.trees.tree_rule import CategorySteps, TreeKind, TreeRule, write_rule
from sekisho.errors import BugError, FaultsError
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.tree_steps import KeyStep, count_steps, list_steps
from sekisho.server.desk.counting.columns import StoredColumns
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.questions import count_alone, find_stand_outs

TreeColumns = Mapping[str, TreeColumn]
TREE_NAME = Path("tree.csv")
LONGEST_PREFIX = 12
SHOWN_STRANGERS = 200
MOST_OFFERED = 50_000
"""Of a key with more values no tree is offered unasked."""
MOST_REMEMBERED = 64
OFFERS: dict[int, tuple[TreeColumn, str]] = {}
"""The trees that were offered for columns, the columns kept along."""


@lru_cache(maxsize=32)
def read_tree_text(text: str) -> Tree:
    """Return the tree of a file's text.

    Raises:
        FaultsError: it is none; all reasons at once.
    """
    return parse_edges(text.encode(), TREE_NAME, encoding="utf-8").build()


def write_keys(columns: TreeColumns, keys: Sequence[Plain]) -> dict[str, ColumnCodes]:
    """Return keys as they are written at their steps."""
    return {key["name"]: _read_key(columns, key).write_labels() for key in keys}


def _read_key(columns: TreeColumns, key: Plain) -> KeyStep:
    tree = read_tree_text(key["tree"]) if key.get("tree") else None
    return KeyStep(column=columns[key["name"]], tree=tree, step=key.get("step", 0))


def weigh_keys(columns: TreeColumns, keys: Sequence[Plain], focus: str = "") -> Plain:
    """Return who is alone on keys as they are written, and what writing one of them more coarsely would come to.

    A key without a tree has the one that would be offered for it, which is not written anywhere.

    Args:
        columns: by name.
        keys: as they are written.
        focus: the key whose steps are counted; if not said, the one without which the fewest are alone.
    """
    whole = [_offer_missing(columns, key) for key in keys]
    counts = count_alone(write_keys(columns, whole))
    without: Mapping[str, int] = counts["without"]
    steep = [key["name"] for key in whole if key["tree"]]
    chosen = focus if focus in steep else min(steep, key=without.__getitem__, default="")
    tree = next((key["tree"] for key in whole if key["name"] == chosen), "")
    others = [key for key in whole if key["name"] != chosen]
    return {
        "counts": counts,
        "focus": chosen,
        "kinds": {name: find_tree_kind(column).value for name, column in columns.items()},
        "ladder": count_ladder(columns, chosen, tree, others)["steps"] if chosen else [],
        "steps": {key["name"]: _list_labels(key) for key in whole if key["tree"]},
    }


def _offer_missing(columns: TreeColumns, key: Plain) -> Plain:
    column = columns[key["name"]]
    if key.get("tree") or len(column.texts) > MOST_OFFERED:
        return {"tree": "", **key}
    return {**key, "tree": _remember_offer(columns, column)}


def _remember_offer(columns: TreeColumns, column: TreeColumn) -> str:
    """Return the tree that is offered for a column, made once: other keys ask for it again and again."""
    known = OFFERS.get(id(column))
    if known is None or known[0] is not column:
        known = OFFERS[id(column)] = (column, offer_tree(columns, column.name)["tree"])
        while len(OFFERS) > MOST_REMEMBERED:
            OFFERS.pop(next(iter(OFFERS)))
    return known[1]


def _list_labels(key: Plain) -> list[Plain]:
    """Return of each step of a key's tree how many labels it has, and some of them."""
    return [
        {"step": step, "values": len(labels), "shown": [labels[0], labels[-1]]}
        for step, labels in enumerate(list_steps(read_tree_text(key["tree"])))
    ]


def find_outstanding(columns: TreeColumns, keys: Sequence[Plain], *, rows: NDArray[np.int64] | None = None) -> Plain:
    """Return who stands out by few keys as they are written, and who is found by at most three."""
    coarse = [_offer_missing(columns, key) if key.get("step") else key for key in keys]  # values need no tree
    return find_stand_outs(write_keys(columns, coarse), rows=rows)


def count_ladder(columns: TreeColumns, name: str, tree: str, others: Sequence[Plain] = ()) -> Plain:
    """Return what every step of a column's tree comes to beside the other keys, and the values that it lacks."""
    built = read_tree_text(tree)
    counts = count_steps(columns[name], built, [_read_key(columns, key) for key in others])
    return {
        "column": name,
        "records": counts.records,
        "steps": [step.as_dict() for step in counts.steps],
        "strangers": list(counts.strangers[:SHOWN_STRANGERS]),
        "missing_in_tree": len(counts.strangers),
    }


def offer_tree(columns: TreeColumns, name: str, *, kind: str = "", other: str = OTHER, rare: int = 0) -> Plain:
    """Return the tree that is offered for a column, and its rule; no tree where none can be made of its values.

    Args:
        columns: by name.
        name: of the column.
        kind: of the tree; found out if empty.
        other: what rare categories are called together.
        rare: of categories: values of fewer people than these are joined; as it seems fit if 0.
    """
    column = columns[name]
    chosen = TreeKind(kind) if kind else find_tree_kind(column)
    rule = propose_rule(column, kind=chosen, other=other)
    if rare and chosen is TreeKind.CATEGORY:
        group = join_rare(column, people=rare, other=other)
        rule = TreeRule(column=name, category=CategorySteps(steps=() if group is None else (group,)))
    try:
        return _make_tree(column, rule)
    except FaultsError:
        return {"kind": chosen.value, "tree": "", "rule": "", "settings": rule.as_dict()}


def make_tree(columns: TreeColumns, name: str, settings: Plain) -> Plain:
    """Return the tree that a rule makes of a column.

    Raises:
        SekishoError: the rule is none, or none for this column; all reasons at once.
    """
    rule = build_settings({**settings, "column": name}, TreeRule, source=name)
    return _make_tree(columns[name], rule)


def _make_tree(column: TreeColumn, rule: TreeRule) -> Plain:
    content = write_tree(apply_rule(rule, column))
    return {
        "kind": rule.kind.value,
        "tree": content.decode(),
        "rule": write_rule(rule, content).decode(),
        "settings": rule.as_dict(),
    }


def open_tree_of(columns: TreeColumns, name: str, tree: str, others: Sequence[Plain] = (), other: str = OTHER) -> Plain:
    """Return what the page of a column's tree shows: its steps, its values, and the tree that is offered if none is.

    Args:
        columns: by name.
        name: of the column.
        tree: the text of its file; empty where it has none.
        others: the other keys, as they are written.
        other: what rare categories are called together.
    """
    offer = None if tree else offer_tree(columns, name, other=other)
    text = tree if offer is None else offer["tree"]
    whole = [_offer_missing(columns, key) for key in others]
    return {
        "offer": offer,
        "ladder": count_ladder(columns, name, text, whole) if text else None,
        "column": describe_values(columns, name, text),
        "kinds": {one: find_tree_kind(column).value for one, column in columns.items()},
        "steps": {key["name"]: _list_labels(key) for key in whole if key["tree"]},
    }


def describe_values(columns: TreeColumns, name: str, tree: str = "") -> Plain:
    """Return what an editor must know of a column: its kind, its ends, how many people have each value.

    Args:
        columns: by name.
        name: of the column.
        tree: whose leaves are counted, each by the value that it stands for.
    """
    column = columns[name].drop_gaps()
    texts, people = column.texts, column.count_people().tolist()
    leaves = read_tree_text(tree).leaves if tree else texts
    places = column.find_leaves(leaves).tolist()
    return {
        "kind": find_tree_kind(columns[name]).value,
        "values": len(texts),
        "missing": len(columns[name]) - len(column),
        "first": texts[0] if texts else "",
        "last": texts[-1] if texts else "",
        "people": {leaves[place]: count for place, count in zip(places, people, strict=True) if place >= 0},
        "lengths": list(range(min(LONGEST_PREFIX, max(map(len, texts), default=1) - 1), 0, -1)),
    }


def answer_steps(columns: StoredColumns, given: Mapping[str, Any]) -> Plain:
    """Return the answer to a question about keys and trees; ``about`` says which it is.

    Raises:
        SekishoError: a column is not read, or a tree or rule is none.
        BugError: there is no such question.
    """
    about, name, keys = given["about"], given.get("column", ""), given.get("keys", [])
    read = columns.select([*([name] if name else []), *(key["name"] for key in keys)])
    match about:
        case "weigh":
            return _place_rows(weigh_keys(read, keys, given.get("focus", "")), columns)
        case "outstanding":
            return find_outstanding(read, keys, rows=columns.rows)
        case "tree":
            return open_tree_of(read, name, given.get("tree", ""), keys, given.get("other", OTHER))
        case "offer":
            return offer_tree(read, name, kind=given["kind"], other=given["other"], rare=given["rare"])
        case "make":
            return make_tree(read, name, given["rule"])
        case _:
            raise BugError("no such question about steps")


def _place_rows(weighed: Plain, columns: StoredColumns) -> Plain:
    """Return counts whose rows are those of the file."""
    for worst in weighed["counts"]["worst"]:
        worst["row"] = int(columns.rows[worst["row"] - 1]) + 1
    return weighed
