"""What the search for a pattern has found and proven after so many CPU seconds, on the shared three-way table.

``python bench/tables_anytime.py --label NAME [--seconds CPU]`` traces the version of Sekisho that is imported, writes
its trace under that name into ``tables_anytime.json`` beside this file and draws all traces there into
``docs/methods/figures/tables-anytime.svg``; ``--draw`` draws only. Another version is traced by ``PYTHONPATH``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time

from bench_tables import shared
from sekisho.tables.suppress.optimiser import Optimiser

RESULTS = Path(__file__).with_suffix(".json")
PICTURE = Path(__file__).parents[1] / "docs" / "methods" / "figures" / "tables-anytime.svg"
TABLE = "t20x20x20"
WIDTH, HEIGHT, EDGE = 640, 360, 56
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def trace_search(seconds: float) -> list[list[float]]:
    """Return CPU seconds, cost and bound of each step that has changed one of them, without a limit of time."""
    table = shared(TABLE)
    begun, points = process_time(), list[list[float]]()
    for step in Optimiser(keep=True).steps(table):
        now = process_time() - begun
        if not points or points[-1][1:] != [step.cost, step.bound]:
            points.append([round(now, 2), step.cost, step.bound])
        if now > seconds:
            break
    return points


def draw_traces(traces: dict[str, list[list[float]]]) -> str:
    """Return found and bound over time of all traces as a picture: steps of one colour a trace, the bound dashed."""
    last = max(points[-1][0] for points in traces.values())
    highest = 100 * (1 + max(int(point[1]) for points in traces.values() for point in points) // 100)

    def place(seconds: float, cells: float) -> tuple[float, float]:
        wide, high = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
        return EDGE + wide * seconds / last, HEIGHT - EDGE - high * cells / highest

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for cells in range(0, highest + 1, 200):
        left, level = place(0, cells)
        parts.append(f'<path d="M{left:.1f} {level:.1f}H{WIDTH - EDGE}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6:.1f}" y="{level + 4:.1f}" text-anchor="end">{cells}</text>')
    for seconds in range(0, int(last) + 1, 30):
        across, level = place(seconds, 0)
        parts.append(f'<text x="{across:.1f}" y="{level + 18:.1f}" text-anchor="middle">{seconds}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">CPU seconds</text>')
    for number, (name, points) in enumerate(traces.items()):
        colour = COLOURS[number % len(COLOURS)]
        for column, dash in ((1, ""), (2, ' stroke-dasharray="5 3"')):
            path = "M{:.1f} {:.1f}".format(*place(points[0][0], points[0][column]))
            for point in points[1:]:
                path += "H{:.1f}V{:.1f}".format(*place(point[0], point[column]))
            parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        level = 20 + 16 * number
        parts.append(f'<text x="{EDGE + 8}" y="{level}" fill="{colour}">{name}: hidden, and proven (dashed)</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Trace, write down and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--label", default="now")
    parser.add_argument("--seconds", type=float, default=250.0)
    parser.add_argument("--draw", action="store_true")
    asked = parser.parse_args()
    held = json.loads(RESULTS.read_text(encoding="utf-8"))
    traces: dict[str, list[list[float]]] = held["traces"]
    if not asked.draw:
        traces[asked.label] = trace_search(asked.seconds)
        lines = json.dumps(held).replace("]], ", "]],\n ").replace(" [[", "\n  [[")
        RESULTS.write_text(lines + "\n", encoding="utf-8")
    PICTURE.write_text(draw_traces(traces), encoding="utf-8")


if __name__ == "__main__":
    main()
