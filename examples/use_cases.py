"""Which of three releases still serves a shop's analysts, and does the utility index say so?"""

from __future__ import annotations

from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.study import Study
from sekisho.protect import METHODS
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.study import TITLE, study_tables
from sekisho.seeds import Seed


def main() -> None:
    """Make three releases of a small synthetic shop and study them."""
    seed = Seed(6)
    shop = SyntheticHistory(customers=120, items=200).draw(rng=seed.child("shop").rng())
    releases = {
        "coarse": METHODS.make("coarsen", cells=0.3).apply(shop, rng=seed.child("coarse").rng()),
        "in pairs": METHODS.make("similar-length", k=2).apply(shop, rng=seed.child("pairs").rng()),
        "in fives": METHODS.make("similar-length", k=5).apply(shop, rng=seed.child("fives").rng()),
    }
    findings = Study(samples=20).run(shop, releases, seed=seed.child("study"))
    print(render_text(TITLE, study_tables(findings)[:2], width=120))
    for name, r in findings.correlations.items():
        if findings.significant(name):
            print(f"{name} goes with utility: r = {r:.4f} (3 releases: |r| must reach {findings.critical:.4f})")


if __name__ == "__main__":
    main()
