"""A figure must be well-formed, say what it shows, and keep its words apart and inside."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.gallery import TRAP, pictures

from sekisho.errors import ParameterError
from sekisho.report.figures.axes import Axis, Scale, format_ticks, nice_step
from sekisho.report.figures.canvas import SMALL, Box, Spot, measure_text, place_labels, shorten_text
from sekisho.report.figures.columns import Counts, Fates, Histogram
from sekisho.report.figures.gallery import HeatMap, Mark, Scatter, Series, draw_standalone, find_front
from sekisho.report.kit.blocks import Picture, Tone
from sekisho.words import Language, translate

AREA = Box(0, 0, 420, 260)
SVG = "{http://www.w3.org/2000/svg}"
EVERY = [
    pytest.param(picture, language, id=f"{type(picture).__name__}-{language}")
    for picture in pictures()
    for language in Language
]


def words_of(tree: ET.Element) -> Iterator[tuple[str, Box]]:
    for text in tree.iter(f"{SVG}text"):
        content = text.text or ""
        size, x, y = (float(text.get(name, "0")) for name in ("font-size", "x", "y"))
        # 0.8 of the generous estimate is what a real font needs at least.
        wide = 0.8 * measure_text(content, size)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "start")]
        yield content, Box(left, y - 0.75 * size, left + wide, y + 0.1 * size)


@pytest.mark.parametrize(("picture", "language"), EVERY)
def test_a_picture_is_well_formed_and_says_what_it_shows(picture: Picture, language: Language) -> None:
    tree = ET.fromstring(picture.draw(language))
    assert tree.get("role") == "img"
    assert tree.findtext(f"{SVG}title") == translate(picture.title, language)
    assert tree.findtext(f"{SVG}desc") == translate(picture.desc, language)


@pytest.mark.parametrize(("picture", "language"), EVERY)
def test_no_words_overlap_and_none_leave_the_drawing(picture: Picture, language: Language) -> None:
    tree = ET.fromstring(picture.draw(language))
    *_, width, height = map(float, tree.get("viewBox", "").split())
    words = list(words_of(tree))
    assert words
    for content, box in words:
        assert box.inside(Box(-1, -1, width + 1, height + 1)), content
    for (one, box), (other, second) in combinations(words, 2):
        assert not box.hits(second), (one, other)


@pytest.mark.parametrize(("picture", "language"), EVERY)
def test_the_same_picture_gives_the_same_bytes(picture: Picture, language: Language) -> None:
    assert picture.draw(language) == picture.draw(language)


def test_a_file_of_its_own_carries_its_style() -> None:
    tree = ET.fromstring(draw_standalone(pictures()[0]))
    assert ".sekisho-figure" in (tree.findtext(f"{SVG}style") or "")


def test_labels_from_outside_are_escaped() -> None:
    assert all("<b>" not in picture.draw(language) for picture in pictures() for language in Language)
    assert any(TRAP in "".join(ET.fromstring(p.draw(Language.EN)).itertext()) for p in pictures())


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 200)), max_size=25))
def test_labels_never_cover_one_another_or_a_point(places: list[tuple[float, float]]) -> None:
    spots = [Spot(x=x, y=y, text=f"p{n}") for n, (x, y) in enumerate(places)]
    area = Box(-20, -20, 420, 220)
    svg = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(place_labels(spots, area))}</svg>')
    boxes = [box for _, box in words_of(svg)]
    assert not any(one.hits(other) for one, other in combinations(boxes, 2))
    assert not any(box.holds(spot.x, spot.y) for box in boxes for spot in spots)


@given(st.floats(1e-6, 1e9), st.floats(-1e6, 1e6), st.integers(2, 9))
def test_ticks_are_few_round_and_inside(reach: float, low: float, most: int) -> None:
    scale = Scale(low=low, high=low + reach, start=0.0, end=100.0)
    if not scale.low < scale.high:
        return
    values = scale.ticks(most)
    slack = 1e-6 * nice_step(scale.high - scale.low, most) + 1e-9 * abs(low)
    assert len(values) <= most + 1
    assert all(low - slack <= value <= scale.high + slack for value in values)


def test_tick_words_have_the_decimals_they_need() -> None:
    assert format_ticks([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert format_ticks([0.0, 500.0, 1000.0]) == ["0", "500", "1,000"]
    assert format_ticks([-0.0]) == ["0"]


def test_a_logarithmic_axis_needs_positive_ends() -> None:
    axis = Axis(label="x", log=True, low=0.0)
    with pytest.raises(ParameterError, match="logarithmic"):
        axis.scale([1.0], 0, 1)
    scale = Axis(label="x", log=True).scale([1.0, 1000.0], 0, 300)
    assert scale.at(10.0) == pytest.approx(100.0)
    assert scale.ticks(4) == pytest.approx([1.0, 10.0, 100.0, 1000.0])


def test_one_value_still_has_an_axis() -> None:
    assert Axis(label="x").scale([3.0], 0, 100).at(3.0) == pytest.approx(50.0)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_the_front_is_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    beaten = {p for p in points for q in points if q[0] <= p[0] and q[1] <= p[1] and q != p}
    assert find_front([(float(x), float(y)) for x, y in points]) == sorted(set(points) - beaten)


def test_shortening_fits_and_keeps_what_fits() -> None:
    assert shorten_text("short", 200) == "short"
    assert measure_text(shorten_text("a much longer text than fits", 60)) <= 60


def test_impossible_figures_are_refused() -> None:
    axis = Axis(label="x")
    with pytest.raises(ParameterError, match="edges"):
        Histogram(title="", desc="", x=axis, y=axis, edges=(1, 1), counts=(Counts(name="", values=(1,)),))
    with pytest.raises(ParameterError, match="counts"):
        Histogram(title="", desc="", x=axis, y=axis, edges=(1, 2), counts=(Counts(name="", values=(1, 2)),))
    with pytest.raises(ParameterError, match="counts"):
        Histogram(title="", desc="", x=axis, y=axis, edges=(1, 2), counts=())
    with pytest.raises(ParameterError, match="series"):
        Series(name="", x=(1,), y=())
    with pytest.raises(ParameterError, match="cells"):
        HeatMap(title="", desc="", rows=("a",), columns=("b",), cells=())
    with pytest.raises(ParameterError, match="fates"):
        Fates(exact=-1)


@pytest.mark.parametrize(
    ("tones", "corners", "key"),
    [
        ((Tone.BAD, Tone.GOOD, Tone.GOOD), 2, "among what is not broken"),
        ((Tone.GOOD, Tone.GOOD, Tone.GOOD), 3, "nothing beats these"),
        ((Tone.BAD, Tone.BAD, Tone.BAD), 0, ""),
    ],
)
def test_what_is_broken_stands_on_no_front(tones: tuple[Tone, ...], corners: int, key: str) -> None:
    marks = tuple(Mark(name="p", x=x, y=3 - x, tone=tone) for x, tone in enumerate(tones))
    picture = Scatter(title="t", desc="d", x=Axis(label="x"), y=Axis(label="y"), points=marks, front=True)
    tree = ET.fromstring(picture.draw(Language.EN))
    lines = [line.get("points", "").split() for line in tree.iter(f"{SVG}polyline") if line.get("class") == "line s1"]
    # a staircase over n points: down to the first, two corners to each further one, then to the right edge
    assert [len(line) for line in lines] == ([2 * corners + 1] if corners else [])
    assert any(key in text for text, _ in words_of(tree)) if key else not lines


def test_a_scatter_of_one_point_is_drawn() -> None:
    one = Scatter(
        title="t",
        desc="d",
        x=Axis(label="x"),
        y=Axis(label="y"),
        points=(Mark(name="p", x=1, y=1),),
        fit=(0.0, 1.0),
        front=True,
    )
    tree = ET.fromstring(one.draw(Language.EN))
    (dot,) = tree.iter(f"{SVG}circle")
    assert [text for text, _ in words_of(tree) if text == "p"] == ["p"]
    at = float(dot.get("cx", "")), float(dot.get("cy", ""))
    paths = {
        line.get("class"): [tuple(map(float, place.split(","))) for place in line.get("points", "").split()]
        for line in tree.iter(f"{SVG}polyline")
    }
    top, point, right = paths["line s1"]  # the front of one point reaches up from it and to the right: never a mere key
    assert point == pytest.approx(at)
    assert top[0] == pytest.approx(at[0])
    assert top[1] < at[1]
    assert right[1] == pytest.approx(at[1])
    assert right[0] > at[0]
    assert [y for _, y in paths["line s3"]] == pytest.approx([at[1]] * 2)  # y = 1 goes level through the point


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 250)), min_size=2, max_size=12, unique=True))
def test_no_label_stands_nearer_to_another_point_than_to_its_own(places: list[tuple[int, int]]) -> None:
    spots = [Spot(x=float(x), y=float(y), text=f"name {place}") for place, (x, y) in enumerate(places)]
    drawn = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(place_labels(spots, AREA))}</svg>')
    for text in drawn.iter(f"{SVG}text"):
        own = next(spot for spot in spots if spot.text == text.text)
        left, middle = float(text.get("x", "")) - 2, float(text.get("y", "")) - 0.35 * SMALL
        box = Box(left, middle - 8, left + measure_text(own.text, SMALL) + 4, middle + 8)
        assert all(box.reach(own.x, own.y) <= box.reach(other.x, other.y) + 0.1 for other in spots)


def test_a_leader_does_not_cross_a_line_where_it_need_not() -> None:
    """The label of the point right of the line once stood left of it, beside the point there."""
    line = [(200.0, float(y)) for y in range(0, 250, 3)]
    spots = [Spot(x=194.0, y=150.0, text="on the line"), Spot(x=212.0, y=110.0, text="a name as long as a sentence")]
    drawn = place_labels(spots, Box(0, 0, 420, 250), ink=line)
    leaders = [ET.fromstring(part) for part in drawn if part.startswith("<line")]
    for leader in leaders:
        ends = sorted(float(leader.get(name, "")) for name in ("x1", "x2"))
        assert not ends[0] < 200 < ends[1]
