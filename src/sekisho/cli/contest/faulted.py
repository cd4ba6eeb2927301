"""``sekisho contest requeue``: what becomes of files on which our own program failed."""

from __future__ import annotations

from typing import Annotated

import typer

from sekisho.cli.contest.evaluate import Folder
from sekisho.cli.contest.live import At, give_state, refuse_event, rule, send_all, settle_moment
from sekisho.cli.kit.answer import AsJson
from sekisho.contest.event import SetAside
from sekisho.contest.folder.desk import score_after_all
from sekisho.contest.folder.live import hold_contest
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.words import Said


def requeue(
    folder: Folder,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="A file on which the platform failed.")],
    set_aside: Annotated[str, typer.Option("--set-aside", help="Give it up instead, and why.")] = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Score a file on which the program failed once more, or set it aside; nothing is published before.

    Example: `sekisho contest requeue cup 12`, or `sekisho contest requeue cup 12 --set-aside "handed in again as 14"`
    """
    with hold_contest(folder) as held:
        moment = settle_moment(at, held.state.contest.zone)
        if set_aside:
            event = SetAside(at=moment, entry=entry, reason=set_aside)
            live = rule(lambda: send_all(held, [event]), as_json=as_json)
            give_state(live, Said("entry {entry} is set aside", entry=entry), as_json=as_json)
        try:
            live = score_after_all(held, entry, at=moment).contest
        except RefusedEventError as error:
            refuse_event(error, as_json=as_json)
        give_state(live, Said("entry {entry} is scored", entry=entry), as_json=as_json)
