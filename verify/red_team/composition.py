"""Campaign: releases read together against listing everything, in all shapes.

Run from the top of the repository: ``python -m verify.red_team.composition [--cases 2000]``.
"""

from __future__ import annotations

import argparse
import json
from time import process_time

import numpy as np
from scipy.sparse import csr_array
from verify.red_team.joint_listing import check_case, draw_case, draw_roster, list_explanations
from verify.red_team.months_listing import draw_months, list_block
from verify.red_team.turnover_listing import RELATIONS, draw_times

from sekisho.attack.history.composition import compose_months
from sekisho.gate.records.together.roster import audit_roster


def check_records(rng: np.random.Generator) -> None:
    """Compare one case of records."""
    check_case(draw_case(rng, releases=int(rng.integers(2, 5)), generalised=bool(rng.integers(0, 2))))


def check_roster(rng: np.random.Generator) -> None:
    """Compare one case of one who knows everybody."""
    case = draw_roster(rng, releases=int(rng.integers(2, 4)))
    question = case.to_question()
    people = case.fit_people(question)
    answer, listed = audit_roster(question, people, question.count(people)), list_explanations(case)
    assert (answer.unsettled, answer.explanations) == (0, listed.explanations)
    assert (answer.joint.rows.tolist(), answer.joint.values.tolist()) == (listed.rows, listed.values)


def check_months(rng: np.random.Generator) -> None:
    """Compare one case of histories."""
    fits, blocks = draw_months(rng)
    answer = compose_months([csr_array(fit) for fit in fits], blocks)
    for block, places in zip(answer.blocks, blocks, strict=True):
        listed = list_block([fits[place] for place in places])
        assert (block.candidates.tolist(), block.roster.tolist()) == (listed.candidates, listed.roster)
        assert (list(block.best), block.explanations) == (listed.best, listed.explanations)


def check_tables(rng: np.random.Generator) -> None:
    """Compare one case of tables at two times, in every relation that can be."""
    case = draw_times(rng)
    for relation in RELATIONS:
        listed = case.list_intervals(relation)
        assert listed is None or case.audit(relation) == listed


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for check in (check_records, check_roster, check_months, check_tables):
        rng, start = np.random.default_rng(asked.seed), process_time()
        for _ in range(asked.cases):
            check(rng)
        seconds = round(process_time() - start, 1)
        print(json.dumps({"check": check.__name__, "cases": asked.cases, "equal": True, "cpu_seconds": seconds}))


if __name__ == "__main__":
    main()
