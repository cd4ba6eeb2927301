"""``sekisho review``: two persons decide about what the gate leaves to persons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer
from sekisho.cli.kit.key_option import UNLOCKED_BY, read_private_key
from sekisho.cli.kit.options import list_given_options
from sekisho.errors import Fault, FaultsError
from sekisho.gate.certificate.canonical import list_entries
from sekisho.gate.certificate.reviews import ReviewDecision, tell_review
from sekisho.gate.ending import HEADLINES
from sekisho.gate.outcome import Verdict
from sekisho.journey.review import ReviewStanding, ReviewState, ask_review, decide_review, read_review
from sekisho.words import Said, join_words

MEANS = {
    ReviewStanding.NOT_NEEDED: Verdict.RELEASE,
    ReviewStanding.IMPOSSIBLE: Verdict.REFUSE,
    ReviewStanding.NOT_ASKED: Verdict.REVIEW,
    ReviewStanding.ASKED: Verdict.REVIEW,
    ReviewStanding.APPROVED: Verdict.RELEASE,
    ReviewStanding.REFUSED: Verdict.REFUSE,
}
"""May it leave now?"""
ACTS = {
    "ask": ("name", "purpose", "key"),
    "approve": ("name", "reason", "key"),
    "refuse": ("name", "reason", "key"),
}
"""What each act takes."""


def review(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the run, as gate --out named it.")],
    *,
    ask: Annotated[bool, typer.Option("--ask", help="Ask for the decision: the first person.")] = False,
    approve: Annotated[bool, typer.Option("--approve", help="Let it leave: the second person.")] = False,
    refuse: Annotated[bool, typer.Option("--refuse", help="Keep it here: the second person.")] = False,
    name: Annotated[str, typer.Option("--name", help="Who asks or decides; the two names differ.")] = "",
    purpose: Annotated[str, typer.Option("--purpose", help="With --ask: what the release is for.")] = "",
    reason: Annotated[
        str, typer.Option("--reason", help="Of the decision: at least 20 letters of one's own; it becomes public.")
    ] = "",
    key: Annotated[
        Path | None,
        typer.Option("--key", help=f"One's own private key; its passphrase, if it has one, is in ${UNLOCKED_BY}."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Decide, as two persons, about a run whose verdict is review; with no other option, show how that stands.

    One person asks; another one, with another name and another key, approves or refuses and says why. Both sign. What
    is approved moves to `public` as it was judged, byte for byte, with names, purpose and reason in its certificate. A
    refusal is final for the run and kept. What the gate refuses nobody approves.

    Exit status 0 if it may leave now, 1 if it may not, 3 while a person must decide.

    Example: `sekisho review gate --approve --name "Hana Ito" --reason "the receiver has signed" --key hana.pem`
    """
    _refuse_options(context, [act for act, asked in zip(ACTS, (ask, approve, refuse), strict=True) if asked])
    private = read_private_key(key)
    if ask:
        state = ask_review(folder, name=name, purpose=purpose, key=private)
    elif approve or refuse:
        decision = ReviewDecision.APPROVED if approve else ReviewDecision.REFUSED
        state = decide_review(folder, decision, name=name, reason=reason, key=private)
    else:
        state = read_review(folder)
    verdict = MEANS[state.standing]
    give_answer(
        _list_keys(state),
        join_words(_tell(state), "\n"),
        as_json=as_json,
        good=verdict is not Verdict.REFUSE,
        review=verdict is Verdict.REVIEW,
    )


def _refuse_options(context: typer.Context, acts: list[str]) -> None:
    """Refuse two acts at once, and options that the act does not take; all of them."""
    faults = list(_list_unsuited(list_given_options(context), acts))
    if faults:
        raise FaultsError(Said("options"), faults)


def _list_unsuited(given: dict[str, str], acts: list[str]) -> Iterator[Fault]:
    if len(acts) > 1:
        chosen = " ".join(given[act] for act in acts)
        message = Said("only one of --ask, --approve and --refuse can be given, not {chosen}", chosen=chosen)
        yield Fault(row=0, column="--ask", rule="suits", value=chosen, message=message)
        return
    suited = ACTS[acts[0]] if acts else ()
    data = Said("a look at how a decision stands") if not acts else given[acts[0]]
    for option in ("name", "purpose", "reason", "key"):
        if option in given and option not in suited:
            message = Said("{given} does not suit {data}", given=given[option], data=data)
            yield Fault(row=0, column=given[option], rule="suits", value=given[option], message=message)


def _list_keys(state: ReviewState) -> dict[str, object]:
    return {
        "standing": state.standing,
        "verdict": state.certificate.verdict,
        "certificate": str(state.place),
        "body": state.body,
        "review": None if state.review is None else list_entries(state.review),
        "earlier": [list_entries(each) for each in state.earlier],
        "public": [str(path) for path in state.public],
    }


def _tell(state: ReviewState) -> Iterator[Said]:
    folder = state.out
    yield HEADLINES[MEANS[state.standing]]
    if state.review is not None:
        yield tell_review(state.review)
    match state.standing:
        case ReviewStanding.NOT_NEEDED:
            yield Said("the gate's verdict is release: there is nothing to decide")
        case ReviewStanding.IMPOSSIBLE:
            yield Said("the gate's verdict is refuse: nobody approves that; change something")
        case ReviewStanding.NOT_ASKED:
            yield Said(
                "nobody has asked yet: sekisho review {folder} --ask --name … --purpose … --key …", folder=folder
            )
        case ReviewStanding.ASKED:
            words = Said(
                "another person decides: sekisho review {folder} --approve (or --refuse) --name … --reason … --key …",
                folder=folder,
            )
            yield words
        case ReviewStanding.APPROVED | ReviewStanding.REFUSED:
            yield Said("its certificate: {file}", file=state.place)
    yield from (Said("an earlier decision here: {review}", review=tell_review(each)) for each in state.earlier)
