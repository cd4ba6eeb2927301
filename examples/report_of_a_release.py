"""Protect a synthetic history in three ways, attack each, and write the report of the one that may leave."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from sekisho.attack.history.chance import Chance
from sekisho.attack.history.containment import Containment
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.whole_files import write_whole
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryStage
from sekisho.journey.candidates import run
from sekisho.protect.history.coarsen import Coarsen
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.outcome import outcome_blocks, outcome_title
from sekisho.seeds import Seed
from sekisho.words import Language

history = SyntheticHistory(customers=60, items=300, median_rows=10).draw(rng=Seed(5).rng())
recipe = HistoryRecipe(
    rules=read_history_rules("pwscup2018"),
    methods={
        "coarsen": Coarsen(),
        "similar-length k=2": SimilarLength(k=2),
        "similar-length k=4": SimilarLength(k=4),
    },
    adversaries={"chance": Chance(), "containment": Containment()},
)
stage = HistoryStage(recipe=recipe, original=history)
*_, last = run(stage, seed=Seed(1))
title, blocks = outcome_title(stage), outcome_blocks(stage, last.outcome)

with TemporaryDirectory() as folder:
    report = Path(folder) / "report.html"
    write_whole({report: render_page(title, blocks).encode()})
    print(f"one file of {report.stat().st_size:,} bytes, both languages inside\n")

for language in Language:
    print("\n".join(render_text(title, blocks, language=language).splitlines()[:26]), end="\n\n")
