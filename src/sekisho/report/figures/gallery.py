"""The figures a report can show, under one roof: import them from here."""

from __future__ import annotations

from sekisho.report.figures.axes import Axis, Cell, HeatMap
from sekisho.report.figures.bars import Bar, Bars, Interval, IntervalPlot
from sekisho.report.figures.canvas import draw_standalone
from sekisho.report.figures.columns import Class, ColumnCard, Columns, Counts, Fates, Histogram
from sekisho.report.figures.lines import LineChart, Mark, Scatter, Series, find_front

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
    "draw_standalone",
    "find_front",
]
