"""Sends uploads at planned moments, each in a thread of its own, whether the earlier ones are answered or not.

A process of its own: it reads a plan as JSON from stdin, and writes what became of every upload to stdout.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from sekisho.errors import InputError
from sekisho.server.contest.client import RefusedRequestError, Remote

MOST_AT_ONCE = 300


@dataclass(frozen=True, kw_only=True)
class Planned:
    """An upload to come.

    Attributes:
        after: seconds after the beginning.
    """

    team: str
    token: str
    key: str
    path: str
    after: float


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What became of an upload.

    Attributes:
        status: 201, another status with its rule, or why there was no answer.
        late: seconds between the plan and the sending.
        seconds: from the first byte sent to the whole answer.
    """

    team: str
    key: str
    status: str
    late: float
    seconds: float
    entry: int = 0
    files: dict[str, str] = field(default_factory=dict[str, str])


def send(url: str, upload: Planned, begun: float) -> Answered:
    """Send an upload when its time has come."""
    data = Path(upload.path).read_bytes()
    time.sleep(max(0.0, begun + upload.after - time.monotonic()))
    start = time.monotonic()
    late, status, receipt = start - begun - upload.after, "201", dict[str, object]()
    try:
        remote = Remote(url=url, token=upload.token)
        answer = remote.hand_in("/api/v1/submissions", {"round": "final"}, {"released": data}, upload.key)
        receipt = cast("dict[str, object]", answer)
    except RefusedRequestError as error:
        status = f"{error.status} {error.answer.get('rule', '')}"
    except InputError as error:
        status = error.reason
    return Answered(
        team=upload.team,
        key=upload.key,
        status=status,
        late=late,
        seconds=time.monotonic() - start,
        entry=int(str(receipt.get("entry", 0))),
        files=cast("dict[str, str]", receipt.get("files", {})),
    )


def main() -> None:
    """Send what the plan says."""
    plan = json.load(sys.stdin)
    uploads = [Planned(**each) for each in plan["uploads"]]
    begun = time.monotonic() + 1.0
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        waiting = []
        for upload in sorted(uploads, key=lambda each: each.after):
            time.sleep(max(0.0, begun + upload.after - 1.0 - time.monotonic()))  # its file is read a second before
            waiting.append(pool.submit(send, plan["url"], upload, begun))
        answers = [each.result() for each in waiting]
    json.dump([asdict(each) for each in answers], sys.stdout)


if __name__ == "__main__":
    main()
