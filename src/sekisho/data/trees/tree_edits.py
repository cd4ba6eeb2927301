"""A tree changed by hand: every change gives another tree, or says all that is wrong with it.

Leaves are values of data: they are moved, never renamed or removed. A group that a change leaves without anything below
it goes with the change. A group begins at the step right above all that it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.errors import Fault, FaultsError
from sekisho.words import Said


def move_codes(tree: Tree, codes: Sequence[str], group: str, *, before: str | None = None) -> Tree:
    """Return the tree with codes right below a group, in this order.

    Args:
        tree: that is changed.
        codes: leaves or groups.
        group: where they go; the root is one.
        before: which of the group's codes they stand in front of; the last place if not said.

    Raises:
        FaultsError: a code is not there, is the root or stands above the group; the group is a leaf or not there.
    """
    faults = [*_find_unknown(tree, codes), *_find_no_group(tree, group)]
    above = _list_above(tree, group) if group in tree else ()
    faults += [
        _fault(code, "cycle", Said("{code!r} cannot go below itself", code=code)) for code in codes if code in above
    ]
    if before is not None and before not in tree.children.get(group, ()):
        faults.append(
            _fault(before, "place", Said("{code!r} does not stand below {group!r}", code=before, group=group))
        )
    _raise(faults)
    moved = dict.fromkeys(code for code in codes if code != before)
    return _rebuild(tree, _place(_list_parents(tree), moved, group, before))


def add_group(tree: Tree, name: str, codes: Sequence[str]) -> Tree:
    """Return the tree with a new group that holds some codes, below the nearest group above all of them.

    Raises:
        FaultsError: the name is taken or empty; a code is not there, is the root or stands below another of them.
    """
    faults = [*_find_taken(tree, name), *_find_unknown(tree, codes)]
    if not codes:
        faults.append(_fault(name, "members", Said("group {name!r} would hold nothing", name=name)))
    above = {code: _list_above(tree, code) for code in codes if code in tree}
    faults += [
        _fault(code, "cycle", Said("{code!r} stands below another of the codes", code=code))
        for code, line in above.items()
        if any(other in line[1:] for other in codes)
    ]
    _raise(faults)
    first, *rest = above.values()
    top = next(code for code in first[1:] if all(code in line for line in rest))
    parents = _place({**_list_parents(tree), name: top}, dict.fromkeys(codes), name, None)
    return _rebuild(tree, parents)


def rename_group(tree: Tree, group: str, name: str) -> Tree:
    """Return the tree with another name for a group, or for the root.

    Raises:
        FaultsError: it is a leaf or not there; the name is taken or empty.
    """
    _raise([*_find_no_group(tree, group), *(_find_taken(tree, name) if name != group else ())])
    return replace(tree, codes=tuple(name if code == group else code for code in tree.codes))


def remove_groups(tree: Tree, groups: Sequence[str]) -> Tree:
    """Return the tree without some groups; what they held stands below what they stood below.

    Raises:
        FaultsError: one is a leaf, the root or not there.
    """
    faults = [fault for group in groups for fault in _find_no_group(tree, group)]
    faults += [
        _fault(group, "root", Said("{code!r} is the root", code=group)) for group in groups if group == tree.root
    ]
    _raise(faults)
    gone, parent_of = set(groups), _list_parents(tree)
    kept = {
        code: next(parent for parent in _list_above(tree, code)[1:] if parent not in gone)
        for code in parent_of
        if code not in gone
    }
    return _rebuild(tree, kept)


def join_groups(tree: Tree, groups: Sequence[str], name: str) -> Tree:
    """Return the tree with one group in place of several, which holds what they held; the name may be one of theirs.

    Raises:
        FaultsError: one is a leaf, the root, not there or below another; the name is taken or empty.
    """
    faults = [fault for group in groups for fault in _find_no_group(tree, group)]
    faults += _find_root(tree, groups)
    faults += _find_taken(tree, name) if name not in groups else []
    if len(set(groups)) < 2:
        faults.append(_fault(name, "members", Said("two groups or more are joined")))
    faults += [
        _fault(group, "cycle", Said("{code!r} stands below another of the codes", code=group))
        for group in groups
        if group in tree and any(other in _list_above(tree, group)[1:] for other in groups)
    ]
    _raise(faults)
    held = [code for group in dict.fromkeys(groups) for code in tree.children[group]]
    joined = remove_groups(tree, [group for group in groups if group != name])
    return move_codes(joined, held, name) if name in groups else add_group(joined, name, held)


def add_values(tree: Tree, values: Sequence[str], group: str) -> Tree:
    """Return the tree with values of the data that it lacks, below a group; the root is one.

    Raises:
        FaultsError: a value is there already, or empty; the group is a leaf or not there.
    """
    _raise([*(fault for value in values for fault in _find_taken(tree, value)), *_find_no_group(tree, group)])
    return _rebuild(tree, {**_list_parents(tree), **dict.fromkeys(values, group)})


def find_strangers(tree: Tree | Sequence[str], column: TreeColumn) -> tuple[str, ...]:
    """Return the values of a column that are no leaf of a tree, a missing cell aside: in their order."""
    leaves = tree.leaves if isinstance(tree, Tree) else tree
    present = column.drop_gaps()
    places = present.find_leaves(leaves).tolist()
    return tuple(text for text, place in zip(present.texts, places, strict=True) if place < 0)


def list_strange_rows(leaves: Sequence[str], column: TreeColumn) -> list[Fault]:
    """Return a fault for each value of a column that is no leaf, with the first row that has it."""
    strange = set(find_strangers(leaves, column))
    rows, people = column.find_first_rows().tolist(), column.count_people().tolist()
    faults = list[Fault]()
    for text, row, count in zip(column.texts, rows, people, strict=True):
        if text in strange:
            message = Said(
                "{text!r} is no leaf of the tree; {rows:,} {rows:row has|rows have} it", text=text, rows=count
            )
            faults.append(Fault(row=row, column=column.name, rule="leaf", value=text, message=message))
    return faults


def _list_parents(tree: Tree) -> dict[str, str]:
    return {code: tree.codes[parent] for code, parent in zip(tree.codes[1:], tree.parents[1:], strict=True)}


def _list_above(tree: Tree, code: str) -> tuple[str, ...]:
    """Return a code and all above it, up to the root."""
    line, place = list[str](), tree.position[code]
    while place >= 0:
        line.append(tree.codes[place])
        place = tree.parents[place]
    return tuple(line)


def _place(parent_of: Mapping[str, str], codes: Mapping[str, object], group: str, before: str | None) -> dict[str, str]:
    """Return parents with codes below a group, in front of another or behind all; the order is that of the tree."""
    order = [code for code in parent_of if code not in codes]
    place = len(order) if before is None else order.index(before)
    order[place:place] = list(codes)
    return {code: group if code in codes else parent_of[code] for code in order}


def _rebuild(tree: Tree, parent_of: Mapping[str, str]) -> Tree:
    """Return the tree of some parents, groups that hold nothing left out."""
    kept, groups = dict(parent_of), tree.children.keys()
    while empty := [code for code in kept if code in groups and code not in set(kept.values())]:
        for code in empty:
            del kept[code]
    changed = Tree.of(kept.items(), root=tree.root)
    return replace(changed, begins=_list_begins(changed))


def _list_begins(tree: Tree) -> tuple[int, ...]:
    """Return the step at which each code begins: right above all that it holds."""
    begins = [0] * len(tree.codes)
    for place in range(len(begins) - 1, 0, -1):
        begins[tree.parents[place]] = max(begins[tree.parents[place]], begins[place] + 1)
    return tuple(begins)


def _find_unknown(tree: Tree, codes: Sequence[str]) -> list[Fault]:
    strange = [code for code in codes if code not in tree]
    absent = [_fault(code, "code", Said("{code!r} is not in the tree", code=code)) for code in strange]
    return [*absent, *_find_root(tree, codes)]


def _find_root(tree: Tree, codes: Sequence[str]) -> list[Fault]:
    return [_fault(code, "root", Said("{code!r} is the root", code=code)) for code in codes if code == tree.root]


def _find_no_group(tree: Tree, group: str) -> list[Fault]:
    if group not in tree:
        return [_fault(group, "code", Said("{code!r} is not in the tree", code=group))]
    if group not in tree.children:
        return [_fault(group, "group", Said("{code!r} is a value, no group", code=group))]
    return []


def _find_taken(tree: Tree, name: str) -> list[Fault]:
    if not name.strip() or name != name.strip():
        return [_fault(name, "name", Said("a name is neither empty nor begins or ends with a blank"))]
    return [_fault(name, "name", Said("{code!r} is in the tree already", code=name))] if name in tree else []


def _fault(value: str, rule: str, message: Said) -> Fault:
    return Fault(row=0, column="", rule=rule, value=value, message=message)


def _raise(faults: Sequence[Fault]) -> None:
    if faults:
        raise FaultsError(Said("source|tree"), faults)
