"""The figures a report can show, under one roof: import them from here."""

from __future__ import annotations

from sekisho.report.axes import Axis
from sekisho.report.bars import Bar, Bars, Interval, IntervalPlot
from sekisho.report.canvas import standalone
from sekisho.report.card import ColumnCard, Fates
from sekisho.report.columns import Class, Columns, Counts, Histogram
from sekisho.report.heatmap import Cell, HeatMap
from sekisho.report.lines import LineChart, Mark, Series
from sekisho.report.scatter import Scatter, pareto

__all__ = [
    "Axis",
    "Bar",
    "Bars",
    "Cell",
    "Class",
    "ColumnCard",
    "Columns",
    "Counts",
    "Fates",
    "HeatMap",
    "Histogram",
    "Interval",
    "IntervalPlot",
    "LineChart",
    "Mark",
    "Scatter",
    "Series",
    "pareto",
    "standalone",
]
