"""Teams that hand releases and attacks in, each under an idempotency key, again and again until they have a receipt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event as Signal
from threading import Lock
from typing import cast

import numpy as np

from crash.place import Materials
from sekisho.errors import InputError
from sekisho.server.contest.client import RefusedRequestError, Remote

TWICE, ATTACKS, MALFORMED = 0.2, 0.3, 0.2
PAUSE = 0.1
FINAL_REFUSALS = (400, 401, 403, 404, 409, 413, 422)


@dataclass(frozen=True, kw_only=True)
class Upload:
    """Something to hand in."""

    key: str
    path: str
    fields: Mapping[str, str]
    files: Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Acknowledged:
    """A receipt that a team holds."""

    team: str
    key: str
    entry: int
    files: Mapping[str, str]


@dataclass(kw_only=True)
class Notebook:
    """What clients were told."""

    receipts: list[Acknowledged] = field(default_factory=list[Acknowledged])
    refused: Counter[str] = field(default_factory=Counter[str])
    cut: int = 0
    lock: Lock = field(default_factory=Lock)


@dataclass(kw_only=True)
class Team:
    """A team that hands in until it is told to stop."""

    name: str
    remote: Remote
    materials: Materials
    others: list[str]
    notebook: Notebook
    stop: Signal

    def play(self, rng: np.random.Generator, pause: float) -> None:
        """Hand in, one upload after another; one in five is sent by two senders at once."""
        number = 0
        with ThreadPoolExecutor(2) as pool:
            while not self.stop.is_set():
                number += 1
                upload = self._choose(number, rng)
                senders = 2 if rng.random() < TWICE else 1
                for sent in [pool.submit(self.insist, upload) for _ in range(senders)]:
                    sent.result()
                self.stop.wait(float(rng.uniform(0, 2 * pause)))

    def insist(self, upload: Upload) -> None:
        """Send an upload until there is a receipt or a refusal that will not change."""
        while True:
            try:
                answer = self.remote.hand_in(upload.path, upload.fields, upload.files, upload.key)
            except InputError:
                with self.notebook.lock:
                    self.notebook.cut += 1
            except RefusedRequestError as error:
                with self.notebook.lock:
                    self.notebook.refused[f"{error.status} {error.answer.get('rule', '')}"] += 1
                if error.status in FINAL_REFUSALS:
                    return
            else:
                self._note(upload, cast("Mapping[str, object]", answer))
                return
            if self.stop.wait(PAUSE):
                return

    def _note(self, upload: Upload, receipt: Mapping[str, object]) -> None:
        files = cast("dict[str, str]", receipt["files"])
        entry = int(str(receipt["entry"]))
        with self.notebook.lock:
            self.notebook.receipts.append(Acknowledged(team=self.name, key=upload.key, entry=entry, files=files))

    def _choose(self, number: int, rng: np.random.Generator) -> Upload:
        key, fields = f"{self.name}-{number}", {"round": "practice"}
        draw = float(rng.random())
        if draw < ATTACKS:
            target = self.others[int(rng.integers(len(self.others)))]
            files = {"guess": self.materials.guess}
            return Upload(key=key, path="/api/v1/attacks", fields=fields | {"target": target}, files=files)
        released = self.materials.releases[int(rng.integers(len(self.materials.releases)))]
        if draw < ATTACKS + MALFORMED:
            released += f"{key},oops\n".encode()
        return Upload(key=key, path="/api/v1/submissions", fields=fields, files={"released": released})
