"""The figures a report can show, under one roof: import them from here."""

from __future__ import annotations

from sekisho.report.figures.axes import Axis
from sekisho.report.figures.bars import Bar, Bars, Interval, IntervalPlot
from sekisho.report.figures.canvas import standalone
from sekisho.report.figures.card import ColumnCard, Fates
from sekisho.report.figures.columns import Class, Columns, Counts, Histogram
from sekisho.report.figures.heatmap import Cell, HeatMap
from sekisho.report.figures.lines import LineChart, Mark, Series
from sekisho.report.figures.scatter import Scatter, pareto

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
