"""Hierarchies of codes: a tree from the total down to the leaves, and groupings that cut across it.

A tree serves two trades. In a table each inner code is a margin, the sum of its children. In microdata each inner code
is a coarser way to write its leaves, so the way from a leaf to the root is a ladder of generalisations. A grouping (a
size class that cuts across regions, say) names a further sum of codes of the tree; it need not nest with anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.words import Said

TOTAL = "Total"

Relation: TypeAlias = tuple[str, tuple[str, ...]]
"""A sum: the total's code and its parts' codes."""


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A tree of codes, parents before children.

    Attributes:
        codes: the root first; a parent stands before its children.
        parents: the position of each code's parent; -1 for the root.
        begins: the step at which each code begins, the leaves' being 0, where a file says so; else codes that stand
            equally far below the root begin together.
    """

    codes: tuple[str, ...]
    parents: tuple[int, ...]
    begins: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.parents):
            raise ParameterError("parents", Said("have one entry per code"), (len(self.parents), len(self.codes)))
        if not self.parents or self.parents[0] != -1:
            raise ParameterError("parents", Said("begin with -1, the root"), self.parents[:1])
        if len(self.position) != len(self.codes):
            raise ParameterError("codes", Said("be distinct"), len(self.codes) - len(self.position))
        if any(not 0 <= parent < place for place, parent in enumerate(self.parents) if place):
            raise ParameterError("parents", Said("stand before their children"), self.parents)
        if self.begins and not self._begins_in_order():
            raise ParameterError("begins", Said("rise from each code to its parent, one a code"), self.begins)

    def _begins_in_order(self) -> bool:
        pairs = zip(self.begins[1:], self.parents[1:], strict=False)
        return len(self.begins) == len(self.codes) and all(begin < self.begins[parent] for begin, parent in pairs)

    @classmethod
    def of(cls, edges: Iterable[tuple[str, str]], *, root: str | None = None, source: object = "tree") -> Tree:
        """Return the tree of some (node, parent) pairs; the root is the parent that is no node, or is given.

        Raises:
            FaultsError: doubled nodes, two parents, cycles, orphans, more than one root; all of them at once.
        """
        pairs = list(edges)
        faults, parent_of = _collect_parents(pairs)
        top, astray = _find_root(pairs, parent_of, root)
        faults += astray
        order = _order_codes(top, parent_of)
        faults += _find_cycles(pairs, parent_of, set(order), top)
        if faults:
            raise FaultsError(source, sorted(faults, key=lambda fault: fault.row))
        place = {code: position for position, code in enumerate(order)}
        return cls(codes=tuple(order), parents=(-1, *(place[parent_of[code]] for code in order[1:])))

    @classmethod
    def flat(cls, leaves: Iterable[str], *, root: str = TOTAL) -> Tree:
        """Return a total above some leaves."""
        codes = (root, *leaves)
        return cls(codes=codes, parents=(-1, *(0 for _ in codes[1:])))

    def with_leaf(self, code: str) -> Tree:
        """Return the tree with one more leaf right below the root, if it has no such code yet."""
        return self.with_leaves([code])

    def with_leaves(self, codes: Iterable[str]) -> Tree:
        """Return the tree with more leaves right below the root; codes that it has stay where they are."""
        fresh = [code for code in dict.fromkeys(codes) if code not in self.position]
        if not fresh:
            return self
        none = tuple(0 for _ in fresh)
        begins = (*self.begins, *none) if self.begins and len(self.codes) > 1 else ()
        return Tree(codes=(*self.codes, *fresh), parents=(*self.parents, *none), begins=begins)

    @property
    def root(self) -> str:
        """The total's code."""
        return self.codes[0]

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Where each code stands in ``codes``."""
        return {code: place for place, code in enumerate(self.codes)}

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The children of each inner code, in order."""
        children: dict[str, list[str]] = {}
        for code, parent in zip(self.codes[1:], self.parents[1:], strict=True):
            children.setdefault(self.codes[parent], []).append(code)
        return {code: tuple(children[code]) for code in self.codes if code in children}

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The codes without children, in order."""
        return tuple(code for code in self.codes if code not in self.children)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many steps each code stands below the root."""
        depths = [0] * len(self.codes)
        for place, parent in enumerate(self.parents[1:], start=1):
            depths[place] = depths[parent] + 1
        return tuple(depths)

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The step at which each code begins: 0 of a leaf; the root's is the last."""
        if self.begins:
            return self.begins
        deepest = max(self.depths)
        return tuple(
            deepest - depth if code in self.children else 0 for code, depth in zip(self.codes, self.depths, strict=True)
        )

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Every inner code as the sum of its children."""
        return tuple(self.children.items())

    def __contains__(self, code: object) -> bool:
        return code in self.position


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """A tree and the groupings that cut across it.

    A group is a sum of disjoint codes. Its code may be new, or one of the tree's if it covers the same leaves (Total by
    size class beside Total by region).

    Attributes:
        tree: the main tree.
        groups: each group with its members, which are codes of the tree or earlier groups.
    """

    tree: Tree
    groups: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        faults = [fault for _, fault in _check_groups(self.tree, self.groups) if fault is not None]
        if faults:
            raise FaultsError(Said("groups"), faults)

    @property
    def root(self) -> str:
        """The total's code."""
        return self.tree.root

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The tree's codes, then the groups that are not among them."""
        return tuple(dict.fromkeys((*self.tree.codes, *(code for code, _ in self.groups))))

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Every sum: the tree's, then the groups'."""
        return (*self.tree.relations, *self.groups)

    @cached_property
    def spans(self) -> Mapping[str, frozenset[str]]:
        """The leaves under each code, groups included."""
        return dict(span for span, _ in _check_groups(self.tree, self.groups)) | _compute_spans(self.tree)


def _collect_parents(pairs: Sequence[tuple[str, str]]) -> tuple[list[Fault], dict[str, str]]:
    """Return each node's parent, and a fault for each row that is empty, doubled or names a second parent."""
    faults: list[Fault] = []
    parent_of: dict[str, str] = {}
    for row, (node, parent) in enumerate(pairs, start=1):
        if not node:
            faults.append(_fault(row, "node", "code", node, Said("the code is empty")))
        elif node not in parent_of:
            parent_of[node] = parent
        elif parent_of[node] == parent:
            faults.append(_fault(row, "node", "doubled", node, Said("{leaf!r} stands here a second time", leaf=node)))
        else:
            faults.append(
                _fault(
                    row,
                    "parent",
                    "one parent",
                    node,
                    Said(
                        "{node!r} has two parents, {first!r} and {second!r}",
                        node=node,
                        first=parent_of[node],
                        second=parent,
                    ),
                )
            )
    return faults, parent_of


def _find_root(
    pairs: Sequence[tuple[str, str]], parent_of: dict[str, str], asked_root: str | None
) -> tuple[str, list[Fault]]:
    """Return the root, and a fault for each other code that hangs from nothing; nodes without a parent are removed."""
    tops = dict.fromkeys(node for node, parent in parent_of.items() if not parent)
    tops |= dict.fromkeys(parent for _, parent in pairs if parent and parent not in parent_of)
    for top in tops:
        parent_of.pop(top, None)
    root = asked_root or (TOTAL if TOTAL in tops else next(iter(tops), ""))
    faults: list[Fault] = []
    if not root:
        faults.append(
            _fault(0, "", "root", "", Said("there is no root: every code has a parent") if pairs else Said("is empty"))
        )
    for top in tops:
        if top != root:
            row = next(row for row, pair in enumerate(pairs, start=1) if top in pair)
            faults.append(
                _fault(
                    row,
                    "parent",
                    "orphan",
                    top,
                    Said("{top!r} hangs from nothing; the root is {root!r}", top=top, root=root),
                )
            )
    if root in parent_of:
        row = next(row for row, pair in enumerate(pairs, start=1) if pair[0] == root)
        faults.append(
            _fault(
                row,
                "node",
                "root",
                root,
                Said("the root {root!r} has a parent, {parent_of!r}", root=root, parent_of=parent_of[root]),
            )
        )
    return root, faults


def _order_codes(root: str, parent_of: Mapping[str, str]) -> list[str]:
    """Return the codes that hang from the root, parents first, children in the order of the file."""
    children: dict[str, list[str]] = {}
    for node, parent in parent_of.items():
        children.setdefault(parent, []).append(node)
    order, waiting, reached = list[str](), [root], {root}
    while waiting:
        code = waiting.pop()
        order.append(code)
        below = [child for child in children.get(code, ()) if child not in reached]
        reached.update(below)
        waiting += reversed(below)
    return order


def _find_cycles(
    pairs: Sequence[tuple[str, str]], parent_of: Mapping[str, str], reached: set[str], root: str
) -> list[Fault]:
    """Return a fault for each node on a cycle; what merely hangs from an orphan is named with the orphan."""
    faults: list[Fault] = []
    for row, (node, parent) in enumerate(pairs, start=1):
        if node in reached or parent_of.get(node) != parent or node == root:
            continue
        round_trip = _trace_cycle(node, parent_of)
        if round_trip:
            shown = " → ".join(round_trip)
            faults.append(
                _fault(
                    row, "parent", "cycle", node, Said("{node!r} is its own ancestor: {shown}", node=node, shown=shown)
                )
            )
    return faults


def _trace_cycle(node: str, parent_of: Mapping[str, str]) -> list[str]:
    way, code = [node], parent_of.get(node)
    while code is not None and code != node and len(way) <= len(parent_of):
        way.append(code)
        code = parent_of.get(code)
    return [*way, node] if code == node else []


def _compute_spans(tree: Tree) -> dict[str, frozenset[str]]:
    spans: dict[str, frozenset[str]] = {}
    for code in reversed(tree.codes):
        below = tree.children.get(code)
        spans[code] = frozenset([code]) if below is None else frozenset[str]().union(*(spans[child] for child in below))
    return spans


def _check_groups(tree: Tree, groups: Iterable[Relation]) -> list[tuple[tuple[str, frozenset[str]], Fault | None]]:
    """Return each group's leaves, and what is wrong with it."""
    spans = _compute_spans(tree)
    checked: list[tuple[tuple[str, frozenset[str]], Fault | None]] = []
    for row, (code, members) in enumerate(groups, start=1):
        strange = [member for member in members if member not in spans]
        member_spans = [spans[member] for member in members if member in spans]
        span = frozenset[str]().union(*member_spans)
        fault = None
        if strange:
            fault = _fault(
                row,
                code,
                "code",
                strange[0],
                Said("{strange} of group {code!r} is no code", strange=", ".join(map(repr, strange)), code=code),
            )
        elif sum(map(len, member_spans)) != len(span) or not members:
            fault = _fault(
                row, code, "disjoint", code, Said("the members of group {code!r} overlap or are none", code=code)
            )
        elif code in spans and spans[code] != span:
            fault = _fault(
                row, code, "span", code, Said("group {code!r} is a code already and covers other leaves", code=code)
            )
        spans.setdefault(code, span)
        checked.append(((code, span), fault))
    return checked


def _fault(row: int, column: str, rule: str, value: str, message: Said) -> Fault:
    return Fault(row=row, column=column, rule=rule, value=value, message=message)
