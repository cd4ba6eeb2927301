"""Every word must be readable on its ground: contrast at least 4.5 to 1 (WCAG 2.2, 1.4.3), in light, dark and print."""

from __future__ import annotations

import re

import pytest

from sekisho.report.kit.style import read_figure_style, read_page_style

PAGE = (
    *(("--paper", word) for word in ("--ink", "--muted", "--good", "--warn", "--bad", "--link")),
    *(("--panel", word) for word in ("--ink", "--muted")),
    *((f"--{tone}-soft", word) for tone in ("good", "warn", "bad") for word in ("--ink", f"--{tone}")),
)
FIGURE = (
    *(("--f-paper", word) for word in ("--f-ink", "--f-muted")),
    *((area, "--f-inverse") for area in ("--f-0", "--f-1", "--f-2", "--f-3", "--f-good", "--f-bad", "--f-muted")),
)


def palettes(style: str) -> list[dict[str, str]]:
    """Return the sets of colours that the style sheet declares; a later one only says what differs."""
    found: list[dict[str, str]] = []
    for block in re.findall(r"\{([^{}]*--[^{}]*)\}", style):
        colours = dict(re.findall(r"(--[a-z0-9-]+): (#[0-9a-f]{6})", block))
        if len(colours) > 5:
            found.append({**(found[0] if found else {}), **colours})
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("place", range(3), ids=["light", "dark", "print"])
def test_words_stand_out(place: int) -> None:
    page, figure = (
        palettes(read_page_style().replace(read_figure_style(), ""))[place],
        palettes(read_figure_style())[place],
    )
    low = {pair: contrast(page[pair[0]], page[pair[1]]) for pair in PAGE}
    low |= {pair: contrast(figure[pair[0]], figure[pair[1]]) for pair in FIGURE}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}
