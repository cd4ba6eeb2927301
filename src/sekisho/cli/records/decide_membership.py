"""``sekisho decide-membership``: should a doubtful record be called a member?"""

from __future__ import annotations

from typing import Annotated

import typer

from sekisho.attack.records.referee import DoubtfulRecord
from sekisho.cli.kit.answer import AsJson, give_answer
from sekisho.words import Said


def decide_membership(
    hit: Annotated[float, typer.Argument(metavar="P", help="The chance that the rows named for the record hit.")],
    others: Annotated[float, typer.Option("--others", help="The hit rate on the other members.")] = 0.3,
    precision: Annotated[float, typer.Option("--precision", help="Of calling everyone a member.")] = 0.5,
    share: Annotated[float, typer.Option("--share", help="Of the members that the record makes up.")] = 0.01,
    delta: Annotated[float, typer.Option("--delta", help="Of the risk.")] = 0.01,
    as_json: AsJson = False,
) -> None:
    """Tell the attacker's expected risk score with a doubtful record called a member and left out, under both readings.

    Example: `sekisho decide-membership 0.1`
    """
    decision = DoubtfulRecord(hit=hit, others=others, precision=precision, share=share, delta=delta)
    keys = {
        "called": decision.called,
        "left_out": decision.left_out,
        "left_out_judged": decision.left_out_judged,
        "call": decision.call,
    }
    words = Said(
        "called {called:.5f}; left out {left_out:.5f} (judged {judged:.5f}): {advice}",
        called=decision.called,
        left_out=decision.left_out,
        judged=decision.left_out_judged,
        advice=Said("call it a member") if decision.call else Said("leave it out"),
    )
    give_answer(keys, words, as_json=as_json)
