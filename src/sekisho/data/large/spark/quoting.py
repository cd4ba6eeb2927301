"""Columns on Spark by their own names, whatever signs these have.

narwhals hands names to Spark as they are, and Spark takes a point for the way into a nested column and a grave accent
for a quotation mark. The frames here are narwhals' own, with names quoted wherever Spark would read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

import narwhals as nw

from sekisho.data.large.session import Frame
from sekisho.data.large.spark.connection import SparkObject

Narwhals: TypeAlias = Any
"""What narwhals keeps to itself; it is loaded by name, without its types."""
READ = frozenset({"col", "asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last"})
"""Functions of Spark that read a name."""
UNFIT = frozenset(".`")
"""Signs that Spark reads in a name."""
COLUMN = "sekisho column {}"
"""What a column is called meanwhile."""


def quote_name(name: object) -> object:
    """Return a name as Spark reads it; what is no name stays as it is."""
    return "`" + name.replace("`", "``") + "`" if isinstance(name, str) else name


def wrap_frame(native: SparkObject) -> Frame:
    """Return a frame of Spark for narwhals' expressions."""
    plain: Narwhals = nw.from_native(native)._compliant_frame
    frame: Frame = _wrap(plain).to_narwhals()
    return frame


def number_columns(native: SparkObject) -> tuple[SparkObject, list[str]]:
    """Return a frame of Spark's own whose columns are called by their places, and what they were called.

    pyspark reads the names of the columns that it hands to Python's functions.
    """
    names: list[str] = native.columns
    return native.toDF(*[COLUMN.format(place) for place in range(len(names))]), names


def _wrap(plain: Narwhals) -> Narwhals:
    return _find_frame_class()(plain.native, version=plain._version, implementation=plain._implementation)


class _Functions:
    """Spark's functions; those that read a name are given it quoted."""

    def __init__(self, functions: Narwhals) -> None:
        self._functions = functions

    def __getattr__(self, name: str) -> Narwhals:
        function = getattr(self._functions, name)

        def read_quoted(column: object) -> Narwhals:
            return function(quote_name(column))

        return read_quoted if name in READ else function


@cache
def _find_frame_class() -> Narwhals:
    """Return narwhals' class of Spark's frames, changed."""
    frames: Narwhals = import_module("narwhals._spark_like.dataframe")
    utils: Narwhals = import_module("narwhals._spark_like.utils")
    groups: Narwhals = import_module("narwhals._spark_like.group_by")
    expressions: Narwhals = import_module("narwhals._spark_like.expr")
    namespaces: Narwhals = import_module("narwhals._spark_like.namespace")

    class QuotedExpr(expressions.SparkLikeExpr):
        """An expression whose windows are of quoted names."""

        def over(self, partition_by: Sequence[object], order_by: Sequence[object]) -> Narwhals:
            return super().over([*map(quote_name, partition_by)], [*map(quote_name, order_by)])

    class QuotedNamespace(namespaces.SparkLikeNamespace):
        """Makes such expressions, and puts such frames one after another."""

        @property
        def _expr(self) -> Narwhals:
            return QuotedExpr

        @property
        def _lazyframe(self) -> Narwhals:
            return QuotedFrame

        def concat(self, items: Narwhals, *, how: Narwhals) -> Narwhals:
            return _wrap(super().concat(items, how=how))

    class QuotedGroups(groups.SparkLikeLazyGroupBy):
        """Rows in groups by quoted names."""

        def agg(self, *exprs: Narwhals) -> Narwhals:
            native, keys = self.compliant.native, [*map(quote_name, self._keys)]
            columns = tuple(self._evaluate_exprs(exprs))
            made = native.groupBy(*keys).agg(*columns) if columns else native.select(*keys).dropDuplicates()
            names = dict(zip(self._keys, self._output_key_names, strict=True))  # a key that is computed has another
            return self.compliant._with_native(made).rename(names)

    class QuotedFrame(frames.SparkLikeLazyFrame):
        """A frame whose columns are asked for by quoted names."""

        _F = property(lambda frame: _Functions(utils.import_functions(frame._implementation)))

        def __narwhals_namespace__(self) -> Narwhals:
            return QuotedNamespace(version=self._version, implementation=self._implementation)

        def simple_select(self, *column_names: str) -> Narwhals:
            return super().simple_select(*map(quote_name, column_names))

        def group_by(self, keys: Narwhals, *, drop_null_keys: bool) -> Narwhals:
            return QuotedGroups(self, keys, drop_null_keys=drop_null_keys)

        def join(
            self, other: Narwhals, *, left_on: Narwhals, right_on: Narwhals, suffix: str, **how: Narwhals
        ) -> Narwhals:
            """Join frames under names that need no quotes: Spark takes those of a join as they are, or reads them."""
            unfit = {name for frame in (self, other) for name in frame.columns if not UNFIT.isdisjoint(name)}
            inner = {name: COLUMN.format(place) for place, name in enumerate(sorted(unfit))}
            joined = super(QuotedFrame, _rename(self, inner)).join(
                _rename(other, inner),
                left_on=left_on and [inner.get(name, name) for name in left_on],
                right_on=right_on and [inner.get(name, name) for name in right_on],
                suffix=suffix,
                **how,
            )
            outer = {name: own for own, name in inner.items()} | {
                f"{name}{suffix}": f"{own}{suffix}" for own, name in inner.items()
            }
            return _rename(joined, outer)

    return QuotedFrame


def _rename(frame: Narwhals, names: Mapping[str, str]) -> Narwhals:
    given = {name: names[name] for name in frame.columns if name in names}
    return frame.rename(given) if given else frame
