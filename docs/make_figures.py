"""Build docs/figures.md from what the benchmarks and campaigns wrote down: ``bench/*.json``, and nothing else.

``measured_*.json`` hold tables as they were measured, each with the page that it belongs to, the command that measures
it again, and the machine. The other files are written by the benchmark of the same name; here stands how their figures
become a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BENCH = ROOT / "bench"
BUSY = "two cores that others used as well"
HEAD = """# Figures

What was measured, by the page it belongs to. Made by `make figures` from `bench/*.json`: each table names the command
that measures it again and the machine it was measured on. Times are CPU seconds of the whole process unless a table
says otherwise; other machines give others, the counts are the same everywhere.
"""
FOLDERS = {"method": "methods", "guide": "guide"}
PICTURES = {
    "histories_scale": ("histories-cpu", "histories-memory"),
    "records_scale": ("records-classes-cpu-seconds", "records-classes-peak-mb"),
    "tables_anytime": ("tables-anytime",),
}


def figures_page() -> str:
    """Return the page of all figures, page by page of the methods and the guide."""
    parts, page = [HEAD], ""
    for section in sorted(_list_sections(), key=lambda section: section["page"]):
        if section["page"] != page:
            page = section["page"]
            kind = "method" if (ROOT / "docs" / "methods" / f"{page}.md").exists() else "guide"
            parts.append(f"## {page}\n\nThe {kind}: [{page}]({FOLDERS[kind]}/{page}.md).\n")
        parts.append(_format_section(section))
    return "\n".join(parts)


def _list_sections() -> Iterator[Mapping[str, Any]]:
    for name, read in SCALES.items():
        yield read(_read(name)) | {"pictures": PICTURES.get(name, ())}
    for path in sorted(BENCH.glob("measured_*.json")):
        yield from _read(path.stem)


def _read(name: str) -> Any:
    return json.loads((BENCH / f"{name}.json").read_text(encoding="utf-8"))


def _format_section(section: Mapping[str, Any]) -> str:
    note = section.get("note", "")
    told = f"`{section['command']}`; {section['machine']}." + (f" {note[0].upper()}{note[1:]}." if note else "")
    pictures = [f"![{name}](methods/figures/{name}.svg)\n" for name in section.get("pictures", ())]
    table = _format_table(section["columns"], section["rows"])
    return "\n".join([f"### {section['title']}\n", told + "\n", table, *pictures])


def _format_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _read_histories(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "history-groups",
        "title": "How it grows: a synthetic shop",
        "command": "python bench/histories_scale.py",
        "machine": BUSY,
        "note": "k = 3, blocks of 300, effort 4,000 (whole), two threads; everything includes the attack's candidates",
        "columns": ["customers", "rows", "U after the first pass", "U", "search, CPU s", "everything, CPU s", "MB"],
        "rows": [
            [
                f"{one['customers']:,}",
                f"{one['rows']:,}",
                f"{one['passes'][0]['utility']:.4f}",
                f"{one['utility']:.4f}",
                f"{one['cpu_seconds_by_step']['search']:,.0f}",
                f"{one['cpu_seconds']:,.0f}",
                f"{one['peak_megabytes']:,.0f}",
            ]
            for one in results
        ],
    }


def _read_effort(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "history-blocks",
        "title": "A search that follows the rows, beside the whole one",
        "command": "python bench/histories_effort.py",
        "machine": "two shared cores, more than twenty processes at work; CPU seconds, kernels compiled before",
        "note": "the whole search is `--effort 4000`, what `groups` did at 8f115c01 where no effort was named, in the "
        "same bytes; `log` is the purchase log of bench/purchase_log.py, `shop` the synthetic shop, by rows or "
        "customers and seed; the release is made. The gate on such a log without advice, CPU seconds: "
        + "; ".join(
            f"{int(rows):,} rows {gate['usual']:.1f}, at 8f115c01 {gate['at_8f115c01']:.1f}"
            for rows, gate in results["gate"].items()
        ),
        "columns": ["file", "rows", "k", "U", "U, whole search", "lost", "CPU s", "CPU s, whole search", "of its time"],
        "rows": [
            [
                name.rpartition("-")[0],
                f"{one['rows']:,}",
                str(one["k"]),
                f"{one['usual']['utility']:.5f}",
                f"{one['whole']['utility']:.5f}",
                f"{one['loss']:.2%}",
                f"{one['usual']['cpu_seconds']:,.1f}",
                f"{one['whole']['cpu_seconds']:,.1f}",
                f"{one['share_of_time']:.2f}",
            ]
            for name, one in results["files"].items()
        ],
    }


def _read_copies(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "history-groups",
        "title": "UCI Online Retail several times over, in blocks",
        "command": "python bench/histories_copies.py --copies 3 --effort 900",
        "machine": BUSY,
        "note": "each copy with items of its own; of several copies 1/6 is what groups of copies would have",
        "columns": ["copies", "effort", "customers", "rows", "U", "CPU s", "wall s", "MB"],
        "rows": [
            [
                str(one["copies"]),
                f"{one['effort']:,.0f}",
                f"{one['customers']:,}",
                f"{one['rows']:,}",
                f"{one['utility']:.5f}",
                f"{one['cpu_seconds']:,.0f}",
                f"{one['wall_seconds']:,.0f}",
                f"{one['peak_megabytes']:,.0f}",
            ]
            for one in results
        ],
    }


def _read_records(results: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    sizes = sorted({int(rows) for job in results.values() for rows in job})
    cells = {
        job: [
            f"{of[str(rows)]['cpu_seconds']:.1f} s, {of[str(rows)]['peak_mb']:,.0f} MB" if str(rows) in of else ""
            for rows in sizes
        ]
        for job, of in results.items()
    }
    return {
        "page": "beyond-memory",
        "title": "Records as they grow",
        "command": "PYTHONPATH=. python bench/records_scale.py",
        "machine": "two cores shared with other work, at loads of 12 to 19",
        "note": "Eight keys that are almost unique together (16-bit numbers, Parquet unless it says CSV), "
        "`--memory 2GB` on DuckDB; CPU seconds of all threads and peak memory as seen from outside; "
        "`alone` is the engine without us; `gate-table` is a table of sums at the gate, in memory and, on DuckDB, with "
        '`memory = "1GB"`',
        "columns": ["work", *(f"{rows // 1_000_000} million rows" for rows in sizes)],
        "rows": [[job, *row] for job, row in cells.items()],
    }


def _read_spark(results: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    return {
        "page": "spark",
        "title": "Rates",
        "command": "PYTHONPATH=. python bench/spark_rates.py",
        "machine": "the cluster of the tests, two workers on one busy machine",
        "note": "CPU seconds of executors, their Python and the driver, from outside; bytes as Spark counts them; "
        "groups of a synthetic shop with k = 3, blocks of 300, `--effort 100`",
        "columns": ["work", "rows", "CPU s", "wall s", "MB shuffled"],
        "rows": [
            [
                job,
                f"{int(rows):,}",
                f"{one['cpu_seconds']:.1f}",
                f"{one['seconds']:.1f}",
                f"{one['shuffle_bytes'] / 1e6:.0f}",
            ]
            for job, of in results.items()
            for rows, one in sorted(of.items(), key=lambda item: int(item[0]))
        ],
    }


def _read_composition(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "composition",
        "title": "Two releases of the same people, together",
        "command": "python bench/composition_scale.py",
        "machine": BUSY,
        "note": "seven keys, local recoding of k = 10 twice, linked by one column of 14 values; for one who knows the "
        "keys and for one who knows the classes as well; plain Python counts the first of the two by the definition, "
        "equally",
        "columns": ["people in both", "CPU s, everything", "MB", "plain Python, CPU s", "least rows, keys / classes"],
        "rows": [
            [
                f"{one['people']:,}",
                f"{one['cpu_seconds']:.1f}",
                f"{one['peak_mb']:,.0f}",
                f"{one['plain_seconds']:.1f}" if "plain_seconds" in one else "",
                f"{one['least_candidates']} / {one['own']['least_candidates']}",
            ]
            for one in results.values()
        ],
    }


def _read_membership(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "membership-attack",
        "title": "Who is in a synthetic file, by the nearest rows",
        "command": "python bench/membership_scale.py",
        "machine": BUSY,
        "note": "half of the people are in the original, half are controls; the file has as many rows as there are "
        "people, a fifth of them copied, and the reference a fifth as many records; everybody is scored by `ratio`; "
        "plain numpy computes every distance by the definition, and the same area",
        "columns": ["columns", "people, and rows", "CPU s, everything", "MB", "plain numpy, CPU s", "area", "sampled"],
        "rows": [
            [
                one["kind"],
                f"{one['people']:,}",
                f"{one['cpu_seconds']:.1f}",
                f"{one['peak_mb']:,.0f}",
                f"{one['plain_seconds']:.1f}" if "plain_seconds" in one else "",
                f"{one['area']:.3f}",
                "yes" if one["sampled"] else "no",
            ]
            for one in results.values()
        ],
    }


def _read_downcode(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "downcoding",
        "title": "What the method gives away, read off releases of many people",
        "command": "python bench/downcode_scale.py",
        "machine": BUSY,
        "note": "made-up people of eight keys, k = 5, or classes of ten with tight ranges; CPU seconds of the attack "
        "alone, compiled before; plain Python tries every cell and value by the definition, and counts the same",
        "columns": ["release", "people", "cells", "narrowed", "known", "CPU s", "plain Python, CPU s", "ratio"],
        "rows": [
            [
                one["work"],
                *(f"{one[name]:,}" for name in ("people", "cells", "narrowed", "known")),
                f"{one['cpu_seconds']:.3g}",
                f"{one['plain_seconds']:.3g}" if "plain_seconds" in one else "",
                f"{one['plain_seconds'] / one['cpu_seconds']:,.0f}" if "plain_seconds" in one else "",
            ]
            for one in results
        ],
    }


def _read_start(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "gate-runs",
        "title": "What a command takes before it works",
        "command": "PYTHONPATH=. python bench/command_start.py",
        "machine": BUSY,
        "note": "whole processes on 200 people or a table of nine cells, compiled before, the least of several runs; "
        "the libraries alone are numpy, polars and typer; before is version 8f115c01 in the same run",
        "columns": ["command", "CPU s", "before", "libraries alone", "modules of ours", "before", "MB", "before"],
        "rows": [
            [
                f"`{command}`",
                *(
                    f"{one[name]:.2f}" if name in one else ""
                    for name in ("cpu_seconds", "before_cpu_seconds", "libraries_seconds")
                ),
                *(
                    str(one.get(name, ""))
                    for name in ("modules", "before_modules", "peak_megabytes", "before_peak_megabytes")
                ),
            ]
            for command, one in results.items()
        ],
    }


def _read_anonymeter(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    return {
        "page": "attribute-attack",
        "title": "Beside anonymeter 1.1.0, on adult",
        "command": "make anonymeter",
        "machine": BUSY,
        "note": "2,000 members and 2,000 controls, seven keys, the same releases in one run; CPU seconds of the attack "
        "alone, compiled before",
        "columns": [
            "release",
            "seed",
            "members hit",
            "controls hit",
            "CPU s",
            "anonymeter: members",
            "controls",
            "CPU s",
        ],
        "rows": [
            [
                one["release"],
                str(one["seed"]),
                *(f"{one[who][key]:,}" if key != "cpu" else f"{one[who][key]:.2f}" for who, key in _BESIDE),
            ]
            for one in results["attacks"]
        ],
    }


def _read_first_use(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    before = results["at 8f115c01"]
    return {
        "page": "gate-runs",
        "title": "The first use, and the second",
        "command": "PYTHONPATH=. python bench/first_use.py",
        "machine": "two cores shared with other work, at loads of 20 to 40",
        "note": "`gate` of 1,000 people (partition, k = 5, l = 2, two attacks) and `demo`, first with no compiled "
        "functions on disk, installed before; the figures at 8f115c01 are of another file of 1,000 people",
        "columns": ["program", "use", "CPU s", "MB", "at 8f115c01: CPU s", "MB"],
        "rows": [
            [
                program,
                use,
                f"{results[program][use]['cpu_seconds']:.1f}",
                f"{results[program][use]['peak_mb']:,.0f}",
                *(str(before.get(program, {}).get(use, {}).get(name, "")) for name in ("cpu_seconds", "peak_mb")),
            ]
            for program in results
            if program != "at 8f115c01"
            for use in ("first", "second")
        ],
    }


_BESIDE = [(who, key) for who in ("ours", "theirs") for key in ("hits", "control_hits", "cpu")]


TRACED_SECONDS = (5, 10, 20, 30, 45, 60, 70, 80, 100)
"""CPU seconds after which it is told what a search for a pattern had found and proven."""


def _read_anytime(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section of a search that is watched over time: what each version had after so many seconds."""
    traces: Mapping[str, Sequence[Sequence[float]]] = results["traces"]

    def tell_state(points: Sequence[Sequence[float]], seconds: int) -> str:
        reached = [point for point in points if point[0] <= seconds]
        if points[-1][0] < seconds or not reached:
            return ""
        return f"{reached[-1][1]:,.0f} / {reached[-1][2]:,.0f}"

    return {
        "page": "suppression-search",
        "title": "Found and proven over time",
        "command": "python bench/tables_anytime.py --label now --seconds 100",
        "machine": BUSY,
        "note": results["note"],
        "columns": ["CPU s", *(f"{name}: hidden / none below" for name in traces)],
        "rows": [
            [str(seconds), *(tell_state(points, seconds) for points in traces.values())] for seconds in TRACED_SECONDS
        ],
    }


def _read_sizes(results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "page": "partition",
        "title": "The gate on one file as it grows",
        "command": "PYTHONPATH=. python bench/gate_sizes.py",
        "machine": "two shared cores at loads of 28 to 45, which lengthen CPU seconds",
        "note": "Made-up people of six keys that tell nearly everybody apart and a sensitive column; one recipe, "
        "`partition` with k = 10 and l = 2, the usual adversaries; CPU seconds and memory of the whole process, "
        "compiled before; the exponent is that of growth since the line before; the reference is polars counting the "
        "classes of the keys",
        "columns": ["people", "CPU s", "MB", "exponent", "reference, CPU s", "CPU s at 8f115c01"],
        "rows": [
            [
                f"{int(people):,}",
                f"{one['cpu_seconds']:.1f}",
                f"{one['peak_mb']:,.0f}",
                f"{one['exponent']:.2f}" if "exponent" in one else "",
                f"{one['reference']:.2f}",
                one["at_8f115c01"],
            ]
            for people, one in results.items()
        ],
    }


SCALES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "histories_scale": _read_histories,
    "histories_copies": _read_copies,
    "histories_effort": _read_effort,
    "records_scale": _read_records,
    "gate_sizes": _read_sizes,
    "spark_rates": _read_spark,
    "composition_scale": _read_composition,
    "membership_scale": _read_membership,
    "downcode_scale": _read_downcode,
    "anonymeter_peer": _read_anonymeter,
    "command_start": _read_start,
    "tables_anytime": _read_anytime,
    "first_use": _read_first_use,
}
