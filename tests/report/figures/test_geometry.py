"""What is drawn must stand where the numbers say: lengths, heights and places in proportion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log10
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.report import gallery

from sekisho.report.figures.lines import find_front
from sekisho.report.kit.blocks import Picture, Tone
from sekisho.words import Language

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: Picture, tag: str, kind: str) -> list[ET.Element]:
    """Return the elements of a picture whose class begins so, as they stand."""
    tree = ET.fromstring(picture.draw(Language.EN))
    return [each for each in tree.iter(f"{SVG}{tag}") if (each.get("class") or "").startswith(kind)]


def numbers(elements: Sequence[ET.Element], name: str) -> list[float]:
    return [float(each.get(name, "nan")) for each in elements]


def assert_in_line(values: Sequence[float], places: Sequence[float], *, rising: bool = True) -> tuple[float, float]:
    """Check that places grow (or fall) evenly with the values; return slope and start."""
    slope, start = np.polyfit(values, places, 1)
    assert np.allclose(np.multiply(values, slope) + start, places, atol=0.02)
    assert bool(slope > 0) is rising
    return float(slope), float(start)


def test_bars_are_as_long_as_their_values_and_begin_at_0() -> None:
    rects = [each for each in drawn(gallery.bars(), "rect", "area") if each.get("height") == "18"]
    values, widths = [0.21, 0.58, 0.0, 1.0], numbers(rects, "width")
    assert len(set(numbers(rects, "x"))) == 1
    assert widths[2] == 1  # nothing is still seen
    unit = widths[3]
    assert widths[:2] == pytest.approx([unit * value for value in values[:2]], abs=0.02)
    left = numbers(rects, "x")[0]
    ticks = [each for each in drawn(gallery.bars(), "line", "line base") if float(each.get("x1", "0")) >= left]
    assert numbers(ticks, "x1") == pytest.approx([left + 0.3 * unit, left + 0.999 * unit], abs=0.02)


def test_columns_are_as_high_as_their_values_and_stand_on_one_line() -> None:
    rects = drawn(gallery.columns(), "rect", "area")
    values, heights = [each.value for each in gallery.columns().classes], numbers(rects, "height")
    assert heights == pytest.approx([heights[1] * value / values[1] for value in values], abs=0.02)
    feet = np.add(numbers(rects, "y"), heights)
    assert feet == pytest.approx([feet[0]] * len(values), abs=0.02)
    assert numbers(rects, "x") == sorted(numbers(rects, "x"))


def test_a_histogram_fills_the_first_and_outlines_the_second_over_a_logarithmic_axis() -> None:
    picture = gallery.histogram()
    rects = drawn(picture, "rect", "soft s0")[-len(picture.edges) + 1 :]
    first, second = picture.counts
    heights = numbers(rects, "height")
    assert_in_line(first.values, heights)
    slope, start = assert_in_line([log10(edge) for edge in picture.edges[:-1]], numbers(rects, "x"))
    (outline,) = drawn(picture, "path", "line s1")[-1:]
    base = float(rects[0].get("y", "")) + heights[0]
    path = outline.get("d", "")
    tops = [base - float(top) for top in re.findall(r"V([0-9.]+)H", path)]
    assert tops == pytest.approx([heights[0] * value / first.values[0] for value in second.values], abs=0.05)
    ends = [float(end) for end in re.findall(r"H([0-9.]+)", path)]
    assert ends == pytest.approx([slope * log10(edge) + start for edge in picture.edges[1:]], abs=0.05)


def test_marks_and_lines_of_a_chart_stand_at_their_values() -> None:
    picture = gallery.lines()
    dots = drawn(picture, "circle", "dot")
    across = assert_in_line([mark.x for mark in picture.marks], numbers(dots, "cx"))
    upright = assert_in_line([mark.y for mark in picture.marks], numbers(dots, "cy"), rising=False)
    paths = drawn(picture, "path", "line s")[-2:]
    for series, path in zip(picture.series, paths, strict=True):
        (x, y) = re.findall(r"^M([0-9.]+) ([0-9.]+)", path.get("d", ""))[0]
        assert float(x) == pytest.approx(across[0] * series.x[0] + across[1], abs=0.05)
        assert float(y) == pytest.approx(upright[0] * series.y[0] + upright[1], abs=0.05)
        highest = min(float(top) for top in re.findall(r"V([0-9.]+)", path.get("d", "")))
        assert highest == pytest.approx(upright[0] * max(series.y) + upright[1], abs=0.05)


def test_a_scatter_shows_points_front_and_fit_at_their_values() -> None:
    picture = gallery.scatter()
    dots = drawn(picture, "circle", "dot")
    (a, b) = assert_in_line([point.x for point in picture.points], numbers(dots, "cx"))
    (c, d) = assert_in_line([point.y for point in picture.points], numbers(dots, "cy"), rising=False)
    fitted, front = (
        [tuple(map(float, place.split(","))) for place in line.get("points", "").split()]
        for line in drawn(picture, "polyline", "line")
    )
    assert picture.fit is not None
    slope, intercept = picture.fit
    for x, y in fitted:
        assert (y - d) / c == pytest.approx(slope * (x - b) / a + intercept, abs=1e-3)
    kept = [(point.x, point.y) for point in picture.points if point.tone is not Tone.BAD]
    corners = [(a * x + b, c * y + d) for x, y in find_front(kept)]
    assert front[1::2] == [pytest.approx(corner, abs=0.05) for corner in corners]


def test_a_heat_map_has_a_cell_for_every_number_darker_where_it_is_larger() -> None:
    picture = gallery.heatmap()
    cells = [cell for row in picture.cells for cell in row if cell is not None]
    boxes = drawn(picture, "rect", "area")
    shades = numbers(boxes, "fill-opacity")
    assert len(boxes) == len(cells) == 56
    for one, shade in zip(cells, shades, strict=True):
        assert all(shade < other for cell, other in zip(cells, shades, strict=True) if one.strength < cell.strength)
    assert len(drawn(picture, "rect", "axis")) == sum(cell.framed for cell in cells)
    texts = [each.text for each in ET.fromstring(picture.draw(Language.EN)).iter(f"{SVG}text")]
    assert [text for text in texts if text in {cell.text for cell in cells}] == [cell.text for cell in cells]


def test_an_interval_reaches_from_its_low_to_its_high_end_beside_its_baseline() -> None:
    picture = gallery.intervals()
    dots = [each for each in drawn(picture, "circle", "dot") if each.get("r") == "5"]
    slope, start = assert_in_line([row.middle for row in picture.rows], numbers(dots, "cx"))
    bars = [each.get("d", "") for each in drawn(picture, "path", "line") if "H" in each.get("d", "")]
    for row, path in zip(picture.rows, bars, strict=True):
        ends = float(path.split(" ")[0][1:]), float(re.findall(r"H([0-9.]+)", path)[0])
        assert ends == pytest.approx((slope * row.low + start, slope * row.high + start), abs=0.05)
    ticks = numbers(drawn(picture, "line", "line base"), "x1")[-2:]
    assert ticks == pytest.approx([slope * 0.001 + start] * 2, abs=0.05)


def test_the_fates_of_a_columns_cells_share_the_bar_as_they_are_counted() -> None:
    rects = [each for each in drawn(gallery.card(), "rect", "area") if each.get("height") == "20"]
    fates = [52_000, 20_000, 6_000, 300]
    widths = np.add(numbers(rects, "width"), 1)
    assert widths == pytest.approx([widths[0] * count / fates[0] for count in fates], abs=0.05)
    assert [each.get("class") for each in rects] == ["area good", "area s0", "area s1", "area faint"]
