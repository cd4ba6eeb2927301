"""The files of records at the gate under a contest's conditions: the kept rows, which ones, and in which order."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sekisho.data.records import files as records_files
from sekisho.data.records.files import write_whole_rows
from sekisho.data.records.space import take_kept
from sekisho.gate.certificate.claims import Claims, ConditionClaim, RiskClaim
from sekisho.gate.outcome import Verdict
from sekisho.gate.outputs.files import BY_ROW, DELETED, RELEASE, TRUTH, OutputFiles
from sekisho.gate.records.stage import RecordsCandidate, RecordsStage


def make_records_files(stage: RecordsStage, best: RecordsCandidate, *, release: str = RELEASE) -> OutputFiles:
    """Return the files of the chosen candidate; a refused one is not offered.

    Args:
        stage: the records.
        best: the chosen release.
        release: the name of its file, whose ending says whether it is Parquet.
    """
    rules, refused = stage.recipe.rules, best.verdict is Verdict.REFUSE
    kept = np.flatnonzero(~best.release.deleted).astype(np.int64)
    places = kept if best.order is None else kept[np.argsort(best.order)]
    return OutputFiles(
        offered={} if refused else {release: write_whole_rows(best.published(), rules, Path(release))},
        confidential={
            BY_ROW: records_files.write_records(take_kept(best.release), rules),
            DELETED: records_files.write_number_lines(np.flatnonzero(best.release.deleted).astype(np.int64)),
            TRUTH: records_files.write_number_lines(places),
        },
        claims=Claims(
            risks=tuple(
                RiskClaim(
                    adversary=each.adversary,
                    risks=tuple(one.risk for one in each.judged),
                    target=stage.recipe.target,
                    refuted=each.refutes,
                )
                for each in best.attempts
            ),
            conditions=tuple(
                ConditionClaim(name=one.name, value=one.value, limit=one.limit, side=one.side, met=one.met)
                for one in best.conditions
            ),
        ),
        release=None if refused else release,
    )
