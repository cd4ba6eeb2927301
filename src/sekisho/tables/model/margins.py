"""What the margins of a table are called: told by the user, or known by a common name.

A margin that is taken for a category makes a table look safe that is not: the attacker knows that the cells of ``総数``
are sums, and subtracts. So a code counts as its dimension's margin if the user says so, or if it bears one of the names
below; a code that only adds up like a margin is refused (:mod:`sekisho.tables.model.lookalikes`).

The names are whole words, in any case and width of letters, blanks left out. Left out on purpose: ``全国`` and ``T``,
which are categories as often as margins, and endings such as ``…計``, which 時計, 家計 and 統計 share. A sub-total
(``小計``) is the sum of *some* of the others, so it is no margin, and no category either: it needs a tree or a
grouping.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.table import TOTAL
from sekisho.words import Said, join_words, name_setting

NAMES = (
    *("Total", "Totals", "Grand total", "Overall", "Overall total", "All", "Sum"),  # pandas writes All, R writes Sum
    "_T",  # SDMX
    *("計", "合計", "総計", "総数", "総合計", "全体", "全数", "総和", "すべて", "全て", "男女計"),
)
SUBTOTALS = ("Subtotal", "Sub-total", "Subtotals", "Sub-totals", "小計", "中計")


def spell_code(code: str) -> str:
    """Return a code as names are compared.

    In one width and case of letters, without blanks (``総　数`` is ``総数``).
    """
    return "".join(unicodedata.normalize("NFKC", code).casefold().split())


_NAMES, _SUBTOTALS = (frozenset(map(spell_code, words)) for words in (NAMES, SUBTOTALS))


def names_margin(code: str) -> bool:
    """Tell whether a code bears a common name of margins."""
    return spell_code(code) in _NAMES


def names_subtotal(code: str) -> bool:
    """Tell whether a code bears a common name of sub-totals."""
    return spell_code(code) in _SUBTOTALS


def is_margin(code: str, codes: Collection[str]) -> bool:
    """Tell whether a code in a file about a table that has these codes can only mean its margin.

    That is a margin's name, or none, and no code of it.
    """
    return code not in codes and (not code or names_margin(code))


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """What the user says of the margins' codes.

    Attributes:
        everywhere: the margins' code in every dimension that has it, and where margins are added; ``of`` goes before
            it.
        of: the margin's code by dimension; an empty one, as SQL's ROLLUP leaves it, is written ``Total``.
        categories: by dimension, codes that are no margins, whatever they are called and however they add up.
    """

    everywhere: str | None = None
    of: Mapping[str, str] = field(default_factory=dict[str, str])
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def __post_init__(self) -> None:
        for dim, code in self.of.items():
            if code in self.categories.get(dim, ()):
                raise ParameterError("total", Said("be no category of {dim} at the same time", dim=dim), code)

    def make_flat(self, texts: Mapping[str, pl.Series], source: object) -> tuple[Dimension, ...]:
        """Return dimensions without trees of the texts that stand in their columns, each at least once.

        Raises:
            FaultsError: a value has the margin's code, or the name of one, and nothing says what it is; all at once.
        """
        self.refuse_strange(list(texts))
        found, faults = list[Dimension](), list[Fault]()
        for name, column in texts.items():
            codes = column.str.strip_chars().drop_nulls().unique().sort().to_list()
            try:
                found.append(Dimension.flat(name, codes, total=self.above(name, codes)))
            except FaultsError as error:
                faults += error.faults
        if faults:
            raise FaultsError(source, faults)
        return tuple(found)

    def refuse_strange(self, dims: Sequence[str]) -> None:
        """Refuse what is said of a dimension that the table does not have."""
        for word, names in (("total", self.of), ("category", self.categories)):
            strange = [name for name in names if name not in dims]
            if strange:
                raise ParameterError(word, Said("be of one of {dims}", dims=", ".join(dims)), strange[0])

    def only(self, dims: Collection[str]) -> Margins:
        """Return what is said of some dimensions."""
        return Margins(
            everywhere=self.everywhere,
            of={dim: code for dim, code in self.of.items() if dim in dims},
            categories={dim: codes for dim, codes in self.categories.items() if dim in dims},
        )

    def empty(self, dim: str) -> bool:
        """Tell whether the margin's code in a dimension is said to be empty."""
        return self.of.get(dim, self.everywhere) == ""

    def recognised(self, dim: str, codes: Iterable[str]) -> list[str]:
        """Return the codes that bear a common name of margins and are not said to be categories."""
        own = self.categories.get(dim, ())
        return [code for code in sorted(set(codes)) if code not in own and names_margin(code)]

    def code(self, dim: str, codes: Collection[str]) -> str:
        """Return the margin's code in a dimension of cells that has these codes.

        One of its own where none of them is the margin.

        Raises:
            FaultsError: several codes bear a margin's name, or one does and another is said to be the margin and is not
                there.
        """
        said = self._said(dim)
        if said is not None and said in codes:
            return said
        named = self.recognised(dim, codes)
        if dim in self.of and named:
            message = Said(
                "{said!r} is said to be the margin of {dim} and is no code there, but {code!r} is; say "
                "{total} if it is the margin, {category} if it is a category",
                said=said,
                dim=dim,
                code=named[0],
                total=name_setting("total", named[0], dim),
                category=name_setting("category", named[0], dim),
            )
            raise _refused(dim, "margin", named[0], message)
        if len(named) > 1:
            words = join_words(map(repr, named), " and ")
            message = Said(
                "{words} of {dim} are both names of margins; say which it is: {total}",
                words=words,
                dim=dim,
                total=name_setting("total", named[0], dim),
            )
            raise _refused(dim, "margin", named[0], message)
        return named[0] if named else self.added(dim, codes)

    def added(self, dim: str, codes: Collection[str]) -> str:
        """Return the code of a margin that is added to a dimension that has these codes.

        Raises:
            FaultsError: one of the codes has the margin's name already.
        """
        said = self._said(dim)
        total = TOTAL if said is None else said
        if total in codes:
            message = Said(
                "{code!r} of {dim} cannot be a category and the name of the added margin: name that with {total}",
                code=total,
                dim=dim,
                total=name_setting("total", "…", dim),
            )
            raise _refused(dim, "margin", total, message)
        return total

    def above(self, dim: str, values: Collection[str]) -> str:
        """Return the code of the margin that is added above the values of a column of records.

        Raises:
            FaultsError: a value has the margin's code, or the name of a margin or a sub-total, and nobody said what it
                is; all at once.
        """
        faults = self.subtotals(dim, values)
        named = [] if self._said(dim) is not None else [code for code in self.recognised(dim, values) if code != TOTAL]
        faults += [
            margin_fault(
                dim,
                "margin",
                code,
                Said(
                    "{code!r}, a value of {dim}, is a name of margins: say {category} if it is a category, or leave "
                    "such rows out if they are sums",
                    code=code,
                    dim=dim,
                    category=name_setting("category", code, dim),
                ),
            )
            for code in named
        ]
        try:
            total = self.added(dim, values)
        except FaultsError as error:
            faults += error.faults
        else:
            if not faults:
                return total
        raise FaultsError(Said("dimension {name}", name=dim), faults)

    def root(self, dim: str, tree: Sequence[str], codes: Collection[str]) -> str:
        """Return the margin's code in a dimension with a tree, its root first.

        It is the root's, or what the cells write in its place.

        Raises:
            FaultsError: a code further down the tree is said to be the margin.
        """
        own = tree[0] or TOTAL
        said = self._said(dim)
        if dim in self.of and said is not None:
            if said in tree[1:]:
                raise _refused(
                    dim,
                    "margin",
                    said,
                    Said(
                        "{said!r} is no margin of {dim} but a code of its tree below {own!r}",
                        said=said,
                        dim=dim,
                        own=own,
                    ),
                )
            return said
        if own in codes:
            return own
        others = (() if said is None else (said,), self.recognised(dim, codes))
        named = [code for those in others for code in those if code in codes and code not in tree]
        return named[0] if named else own

    def _said(self, dim: str) -> str | None:
        said = TOTAL if self.empty(dim) else self.of.get(dim, self.everywhere)
        return None if said in self.categories.get(dim, ()) else said

    def subtotals(self, dim: str, codes: Iterable[str]) -> list[Fault]:
        """Return a fault for each code that bears a common name of sub-totals and is not said to be a category."""
        own = self.categories.get(dim, ())
        return [
            margin_fault(
                dim,
                "sub-total",
                code,
                Said(
                    "{code!r} of {dim} is a sub-total by its name: tell what it sums with {tree} or {grouping}, or "
                    "say {category} if it is a category",
                    code=code,
                    dim=dim,
                    tree=name_setting("tree"),
                    grouping=name_setting("grouping"),
                    category=name_setting("category", code, dim),
                ),
            )
            for code in dict.fromkeys(codes)
            if code not in own and names_subtotal(code)
        ]


def margin_fault(dim: str, rule: str, code: str, message: Said) -> Fault:
    """Return a fault of one code of a dimension."""
    return Fault(row=0, column=dim, rule=rule, value=code, message=message)


def by_name(dim: str, code: str) -> Fault:
    """Return the hint that a code is read as a margin for its name alone."""
    message = Said(
        "{code!r} is read as the margin of {dim} for its name; say {category} if it is a category",
        code=code,
        dim=dim,
        category=name_setting("category", code, dim),
    )
    return margin_fault(dim, "margin", code, message)


def _refused(dim: str, rule: str, code: str, message: Said) -> FaultsError:
    return FaultsError(Said("dimension {name}", name=dim), [margin_fault(dim, rule, code, message)])
