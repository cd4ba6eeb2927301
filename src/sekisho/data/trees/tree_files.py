"""Hierarchies as files: ``node,parent`` lists, τ-ARGUS ``.hrc`` outlines, wide generalisation tables, and groupings.

- ``node,parent``: one pair a line; the parent that is no node is the root.
- ``.hrc``: one code a line, one leading string (``@``) per level below the first; the total is never written (τ-ARGUS
  manual 4.1, section 5.2).
- wide: one leaf a line, then its ever coarser codes up to the root: ``1;0-4;0-9;*`` (as ARX and sdcMicro write them). A
  code that repeats along a line stands still. Trees are written so, in three columns or more: two are pairs.
- levels: one code a line behind as many ``@`` as it stands deep, the root behind one: ``@@;north`` (as the R package
  sdcHierarchies writes a data frame).
- grouping: ``group,member`` pairs.
- digits: the levels are prefixes of the code, of given widths (``<HIERLEVELS>``, the same manual, section 5.1.1).

Faults are collected: the reader raises once, naming every row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from csv import writer
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import pairwise
from pathlib import Path

from sekisho.data.files.separated_rows import split_rows
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.data.trees.hierarchy import TOTAL, Relation, Tree
from sekisho.data.trees.leaf_order import climb_steps, order_leaves
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.words import Said

HEADERS = frozenset({"node", "code", "child", "group"})
LEVELS = frozenset({"level", "levels"})
LEAD = "@"
WIDE = ";"
UNWRITABLE = re.compile("[\x00-\x1f\x7f\ufeff]")
"""What no code of a written tree holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEdges:
    """What a file says of a tree, whether it is one or not.

    Attributes:
        edges: pairs of node and parent.
        root: if it is known.
        begins: of a wide file, the first column in which each code stands, from 0.
        source: what the file is called in messages.
        faults: what is wrong with its lines.
    """

    edges: tuple[tuple[str, str], ...]
    root: str | None
    source: object
    begins: Mapping[str, int] = field(default_factory=dict[str, int])
    faults: tuple[Fault, ...] = ()

    @property
    def leaves(self) -> tuple[str, ...]:
        """The nodes that are nobody's parent."""
        parents = {parent for _, parent in self.edges}
        return tuple(dict.fromkeys(node for node, _ in self.edges if node not in parents))

    def build(self) -> Tree:
        """Return the tree.

        Raises:
            FaultsError: it is none; all reasons at once.
        """
        faults = list(self.faults)
        try:
            tree = Tree.of(self.edges, root=self.root, source=self.source)
        except FaultsError as error:
            faults += error.faults
        else:
            if not faults:
                return replace(tree, begins=self._list_begins(tree))
        raise FaultsError(self.source, sorted(faults, key=lambda fault: fault.row))

    def _list_begins(self, tree: Tree) -> tuple[int, ...]:
        """Return the step at which each code begins: where the file has it first, and above all that it holds."""
        if not self.begins:
            return ()
        begins = [self.begins[code] if code in tree.children else 0 for code in tree.codes]
        for place in range(len(begins) - 1, 0, -1):
            begins[tree.parents[place]] = max(begins[tree.parents[place]], begins[place] + 1)
        return tuple(begins)


def read_tree(path: Path, *, root: str | None = None, encoding: str | None = None) -> Tree:
    """Return the tree of a file, whose form is known by its suffix (``.hrc``) or the number of its columns.

    Raises:
        FaultsError: the file can be read, but is no tree; all reasons at once.
    """
    return read_edges(path, root=root, encoding=encoding).build()


def read_edges(path: Path, *, root: str | None = None, encoding: str | None = None) -> TreeEdges:
    """Return what a file of any form says of a tree, whether it is one or not.

    Raises:
        FaultsError: the file has no lines, or lines that no form has.
    """
    return parse_edges(read_bytes(path), path, root=root, encoding=encoding)


def parse_edges(content: bytes, path: Path, *, root: str | None = None, encoding: str | None = None) -> TreeEdges:
    """Return the same of a file's bytes."""
    text, _ = detect_and_decode(content, path, encoding=encoding)
    if path.suffix.lower() == ".hrc":
        return _split_outline(text, root=root or TOTAL, lead=LEAD, source=path)
    rows = _split_cells(text, path)
    leveled = rows[1:] if rows[0][0].lower() in LEVELS else rows
    if leveled and all(len(row) == 2 and row[0] and not row[0].strip(LEAD) for row in leveled):
        return _split_levels(leveled, root=root, source=path)
    if all(len(row) <= 2 for row in rows):
        return TreeEdges(edges=tuple(_read_pairs(rows, path)), root=root, source=path)
    return _split_wide(rows, root=root, source=path)


def read_groups(path: Path, *, encoding: str | None = None) -> tuple[Relation, ...]:
    """Return the groups of a ``group,member`` file, in order."""
    pairs = _read_pairs(_split_cells(detect_and_decode(read_bytes(path), path, encoding=encoding)[0], path), path)
    members: dict[str, list[str]] = {}
    for group, member in pairs:
        members.setdefault(group, []).append(member)
    return tuple((group, tuple(codes)) for group, codes in members.items())


def parse_outline(text: str, *, root: str = TOTAL, lead: str = LEAD, source: object = "outline") -> Tree:
    """Return the tree of an indented outline (``.hrc``)."""
    return _split_outline(text, root=root, lead=lead, source=source).build()


def _split_outline(text: str, *, root: str, lead: str, source: object) -> TreeEdges:
    if not lead:
        raise ParameterError("lead", Said("be at least one character"), lead)
    faults: list[Fault] = []
    line = [root]
    edges: list[tuple[str, str]] = []
    for row, raw in enumerate(text.splitlines(), start=1):
        if not raw.strip():
            continue
        code, depth = raw, 1
        while code.startswith(lead):
            code, depth = code[len(lead) :], depth + 1
        if depth > len(line):
            faults.append(
                Fault(
                    row=row,
                    column="level",
                    rule="level",
                    value=raw,
                    message=Said("{raw!r} skips a level below {line!r}", raw=raw, line=line[-1]),
                )
            )
            depth = len(line)
        edges.append((code.strip(), line[depth - 1]))
        line[depth:] = [code.strip()]
    return TreeEdges(edges=tuple(edges), root=root, source=source, faults=tuple(faults))


def _split_levels(rows: Sequence[Sequence[str]], *, root: str | None, source: object) -> TreeEdges:
    """Return the edges of codes behind their levels; where one code alone stands behind one mark, it is the root."""
    tops = [code for level, code in rows if level == LEAD]
    known = root or (tops[0] if rows[0][0] == LEAD and len(tops) == 1 else None)
    marks = 0 if known is None or known not in tops else 1
    text = "\n".join(f"{level[marks + 1 :]}{code}" if level != LEAD * marks else "" for level, code in rows)
    return _split_outline(text, root=known or TOTAL, lead=LEAD, source=source)


def parse_wide(rows: Sequence[Sequence[str]], *, root: str | None = None, source: object = "generalisations") -> Tree:
    """Return the tree of a wide generalisation table: each row a leaf and its ever coarser codes."""
    return _split_wide(rows, root=root, source=source).build()


def _split_wide(rows: Sequence[Sequence[str]], *, root: str | None, source: object) -> TreeEdges:
    faults: list[Fault] = []
    edges: dict[tuple[str, str], None] = {}
    parent_of: dict[str, str] = {}
    widths = {len(row) for row in rows}
    for number, row in enumerate(rows, start=1):
        if len(widths) > 1 and len(row) != max(widths):
            faults.append(
                _fault(
                    number,
                    "columns",
                    str(len(row)),
                    Said("has {row} columns, others have {widths}", row=len(row), widths=max(widths)),
                )
            )
        steps = [code for place, code in enumerate(row) if place == 0 or code != row[place - 1]]
        for node, parent in pairwise(steps):
            if parent_of.setdefault(node, parent) != parent:
                faults.append(
                    _fault(
                        number,
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
            edges.setdefault((node, parent_of[node]))
    first = {leaf: number for number, (leaf, *_) in reversed([*enumerate(rows, start=1)])}
    faults += [
        _fault(number, "doubled", leaf, Said("{leaf!r} stands here a second time", leaf=leaf))
        for number, (leaf, *_) in enumerate(rows, start=1)
        if first[leaf] != number
    ]
    begins = {code: place for place in range(max(widths, default=0) - 1, -1, -1) for code in _list_column(rows, place)}
    return TreeEdges(edges=tuple(edges), root=root, begins=begins, source=source, faults=tuple(faults))


def _list_column(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    return [row[place] for row in rows if place < len(row)]


def propose_tree(codes: Iterable[str], *, root: str = TOTAL) -> Tree | None:
    """Return the tree that codes seem to be: 01 above 01001 and 01002, A above A01; None if they seem to be none.

    A level is a length: each code but the shortest begins with one of the length before it. Numbers do so by chance (1,
    2, 10, 20): where no code begins with 0 or a letter, each code of an upper level must have two or more below it.
    """
    distinct = sorted({code for code in codes if code})
    lengths = sorted({len(code) for code in distinct})
    if len(lengths) < 2 or not all(code.isascii() and code.isalnum() for code in distinct):
        return None
    there, before = frozenset(distinct), dict(zip(lengths[1:], lengths, strict=False))
    edges = [(code, code[: before[len(code)]] if len(code) in before else root) for code in distinct]
    if any(parent not in there for code, parent in edges if len(code) in before):
        return None
    below = Counter(parent for _, parent in edges)
    upper = [code for code in distinct if len(code) < lengths[-1]]
    telling = any(code[0] == "0" or code[0].isalpha() for code in distinct)
    if not (any if telling else all)(below[code] > 1 for code in upper) or root in there:
        return None
    return Tree.of(edges, root=root)


def write_tree(tree: Tree) -> bytes:
    """Return a tree as a wide file, ``leaf;step;…;root``, a line a leaf; a leaf that stands higher repeats.

    Raises:
        ParameterError: the root stands alone.
        FaultsError: codes that the file cannot hold: empty ones, or such as begin or end with a blank; all at once.
    """
    if len(tree.codes) < 2:
        raise ParameterError("tree", Said("have a code below its root"), tree.root)
    unfit = [code for code in tree.codes if not code or code != code.strip() or UNWRITABLE.search(code)]
    if unfit:
        message = Said("a file of a tree holds no empty code, and none with a blank at its ends or a control character")
        raise FaultsError(Said("source|tree"), [_fault(0, "code", repr(code), message) for code in unfit])
    order = order_leaves(tree)
    steps = climb_steps(order.leaf, order.parent, order.begin)
    shown = steps if len(steps) > 2 else [steps[0], *steps]  # two columns would be pairs
    columns = [[tree.codes[place] for place in labels.tolist()] for labels in shown]
    text = StringIO()
    writer(text, delimiter=WIDE, lineterminator="\n").writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def build_by_digits(codes: Iterable[str], widths: Sequence[int], *, root: str = TOTAL) -> Tree:
    """Return the tree in which each code hangs from its prefix, the levels having these widths; zeros end the list.

    Raises:
        FaultsError: a code's length is no level's.
    """
    ends = [sum(widths[: place + 1]) for place, width in enumerate(widths) if width > 0]
    faults: list[Fault] = []
    edges: dict[tuple[str, str], None] = {}
    for row, code in enumerate(codes, start=1):
        if len(code) not in ends:
            faults.append(
                _fault(
                    row,
                    "length",
                    code,
                    Said(
                        "{code!r} has {digits} digits; the levels end at {ends}",
                        code=code,
                        digits=len(code),
                        ends=ends,
                    ),
                )
            )
            continue
        line = [root, *(code[:end] for end in ends if end <= len(code))]
        for parent, node in pairwise(line):
            edges.setdefault((node, parent))
    return TreeEdges(edges=tuple(edges), root=root, source="codes", faults=tuple(faults)).build()


def write_hrc(tree: Tree, *, lead: str = LEAD) -> str:
    """Return a tree as an indented outline; the root is not written."""
    strange = [code for code in tree.codes if code.startswith(lead) or code != code.strip()]
    if strange:
        raise ParameterError("codes", Said("not begin with {lead!r} nor with a space", lead=lead), strange[0])
    return "".join(
        f"{lead * (depth - 1)}{code}\n" for code, depth in zip(tree.codes, tree.depths, strict=True) if depth
    )


def _split_cells(text: str, source: object) -> list[list[str]]:
    """Return the rows of a separated text: the separator is the first of ``;``, tab, comma in its first line."""
    first = text.partition("\n")[0].partition("\r")[0]
    separator = next((mark for mark in ";\t," if mark in first), ",")
    rows = [[cell.strip() for cell in row] for row in split_rows(text, separator, source) if any(row)]
    if rows and len(rows[0]) == 2 and rows[0][0].lower() in HEADERS:
        del rows[0]
    if not rows:
        raise FaultsError(source, [_fault(0, "rows", "", Said("has no rows"))])
    return rows


def _read_pairs(rows: Sequence[Sequence[str]], source: object) -> list[tuple[str, str]]:
    faults = [
        _fault(row, "columns", ",".join(cells), Said("has {cells} columns instead of 2", cells=len(cells)))
        for row, cells in enumerate(rows, start=1)
        if len(cells) != 2
    ]
    if faults:
        raise FaultsError(source, faults)
    return [(cells[0], cells[1]) for cells in rows]


def _fault(row: int, rule: str, value: str, message: Said) -> Fault:
    return Fault(row=row, column="", rule=rule, value=value, message=message)
