"""Table 6 of the report on releases of our own: thirteen of round 2, four methods, what they are still good for.

``python verify/study_round2.py [--quick] [--samples 100] [--processes 2]`` makes the releases (kept in
verify/out/study, made only once), draws from each, prints tables 6 to 10 and which correlations hold, sets the
2-anonymous release beside the one release of the contest whose samples are public, and writes the page and the figures
to verify/out/study. ``--quick`` draws 10 samples. Without the contest's data (``--data DIR``, see ``real_data.py``) a
synthetic shop of 300 customers takes their place, in verify/out/study-synthetic.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, process_time

from real_data import add_data_option, find_data
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import read_original, read_release, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.study import FIGURES, USE_CASES, Findings, Study, StudyStep, UseCases
from sekisho.protect import METHODS
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.study import TITLE, study_blocks, study_tables
from sekisho.seeds import Seed
from sekisho.utility.history.rfm import Borders, RecencyFrequencyMoney

HERE = Path(__file__).parent
SEED = Seed(2018)
RELEASES: dict[str, tuple[str, dict[str, object]]] = {
    **{f"groups-{k}": ("groups", {"k": k, "effort": 300.0}) for k in (2, 3, 5)},
    **{f"similar-length-{k}": ("similar-length", {"k": k}) for k in (2, 3, 5, 7, 10)},
    "erase-cells-20": ("erase", {"cells": 0.2}),
    "erase-cells-40": ("erase", {"cells": 0.4}),
    "erase-rows-30": ("erase", {"cells": 0.0, "rows": 0.3}),
    "coarsen-50": ("coarsen", {"cells": 0.5}),
    "coarsen-90": ("coarsen", {"cells": 0.9, "width": 1.0, "others": 9}),
}
ANONYMOUS = tuple(name for name, (method, _) in RELEASES.items() if method in {"groups", "similar-length"})
# Team 01, round 2: the least and the largest over its public samples, and the mean that tables 6 and 7 print.
ANCHORS = {
    "wholesale": (0.707, 0.735, 0.726),
    "retail": (0.781, 0.790, 0.785),
    "top": (0.218, 0.228, 0.221),
    "top_items": (0.08, 0.12, 0.108),
}
PRINTED = {"item_sets": 0.216, "rfm": 0.085}


def make_release(name: str, data: Dataset, rules: HistoryRules, out: Path) -> Release:
    """Return a release, from its file if it was made before."""
    path = out / f"{name}.csv"
    if not path.exists():
        method, parameters = RELEASES[name]
        start = process_time()
        release = METHODS.make(method, **parameters).apply(data, rng=SEED.child(name).rng())
        write_whole({path: write_release(release, rules)})
        print(f"made {name} in {process_time() - start:.1f} CPU s", flush=True)
    return read_release(path, rules, data)


def watched(study: Study, data: Dataset, releases: Mapping[str, Release]) -> Findings:
    """Return the findings, telling how far the study is."""
    begun, start, last = monotonic(), process_time(), None
    for last in study.steps(data, releases, seed=SEED.child("study")):
        if last.done % 130 == 0:
            print(f"{last.done} of {last.total} samples, {monotonic() - begun:.0f} s", flush=True)
    assert isinstance(last, StudyStep)
    print(f"{last.total} samples in {monotonic() - begun:.0f} s, {process_time() - start:.0f} CPU s in this process")
    return last.findings


def beside_the_contest(findings: Findings) -> None:
    """Print the 2-anonymous release beside the contest's."""
    ours = next(each for each in findings.releases if each.name == "groups-2")
    print(f"\ngroups-2, U = {ours.utility:.5f}, beside team 01 of the contest (U = 0.206)")
    for name, (low, high, mean) in ANCHORS.items():
        print(
            f"  {name:<10} ours {ours.mean(name):.3f} ({ours.errors[name].min():.3f} to {ours.errors[name].max():.3f})"
            f"  team 01 {mean:.3f} ({low:.3f} to {high:.3f})"
        )
    for name, mean in PRINTED.items():
        print(f"  {name:<10} ours {ours.mean(name):.3f}, team 01 {mean:.3f} (parameters of 2016 unknown)")


def verdicts(findings: Findings, title: str) -> None:
    """Print which correlations hold."""
    print(f"\n{title}: |r| >= {findings.critical:.4f} at 5 % with {len(findings.releases)} releases")
    for name in (*USE_CASES, *FIGURES):
        r = findings.correlations[name]
        held = "holds" if findings.significant(name) else "does not hold"
        print(f"  {name:<20}" + ("never changes" if r is None else f"r = {r:+.3f}  {held}"))


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    add_data_option(parser)
    options = parser.parse_args()
    rules = read_history_rules("pwscup2018")
    place = find_data("pwscup2018/T_round2.csv", options.data)
    out = HERE / "out" / ("study" if place else "study-synthetic")
    out.mkdir(parents=True, exist_ok=True)
    data = (
        SyntheticHistory(customers=300).draw(rng=SEED.child("shop").rng())
        if place is None
        else read_original(place, rules)
    )
    releases = {name: make_release(name, data, rules, out) for name in RELEASES}
    samples = 10 if options.quick else options.samples
    findings = watched(Study(samples=samples, processes=options.processes), data, releases)
    print(render_text(TITLE, study_tables(findings), width=120))
    verdicts(findings, "All releases")
    verdicts(findings.among(ANONYMOUS), "The k-anonymous releases alone")
    if place is not None:
        beside_the_contest(findings)
    fixed = UseCases(rfm=RecencyFrequencyMoney(borders=Borders.ORIGINAL))
    other = Study(samples=min(samples, 10), cases=fixed, processes=options.processes)
    ranked = watched(other, data, releases)
    texts = [f"{part.correlations['rfm']:+.3f}" for part in (ranked, ranked.among(ANONYMOUS))]
    print(f"RFM by the original's borders instead: r = {texts[0]}, of the k-anonymous alone {texts[1]}")
    for each in ranked.releases:
        print(f"  {each.name:<18} U {each.utility:.3f}  RFM {each.mean('rfm'):.3f}")
    figures = {
        each.name: {"utility": each.utility} | {name: each.mean(name) for name in each.errors}
        for each in findings.releases
    }
    answer = {
        "releases": figures,
        "correlations": {
            title: dict(part.correlations) | {"critical": part.critical}
            for title, part in (("all", findings), ("anonymous", findings.among(ANONYMOUS)))
        },
    }
    write_whole(
        {
            out / "study.html": render_page(TITLE, study_blocks(findings)).encode(),
            out / "study.json": json.dumps(answer, indent=1).encode(),
        }
    )


if __name__ == "__main__":
    main()
