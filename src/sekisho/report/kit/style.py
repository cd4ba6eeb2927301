"""The style sheets of pages and of the figures in them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def read_figure_style() -> str:
    """Return the style sheet that figures are drawn with."""
    return (files("sekisho.report.kit") / "figure.css").read_text(encoding="utf-8")


@cache
def read_page_style() -> str:
    """Return the style sheet of pages and of the figures in them."""
    return (files("sekisho.report.kit") / "page.css").read_text(encoding="utf-8") + read_figure_style()
