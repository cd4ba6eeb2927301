"""A desk in process, and a browser that has come in, or that leaves out what a test wants left out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from fastapi import FastAPI

from sekisho.server.desk.app import create_desk
from sekisho.server.desk.entry import COOKIE, FORM_FIELD, OPENING, OPENING_FIELD, Entrance
from sekisho.server.desk.settings import DeskSettings, do_nothing

PORT = 45678


@dataclass
class DeskClient:
    """What a page of the desk sends; ``headers`` of a request replace those of the browser, None leaves one out."""

    app: FastAPI
    entrance: Entrance
    cookie: str = field(default="")

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str | None] | None = None,
        data: Mapping[str, str | list[str]] | None = None,
        prefix: str | None = None,
        files: Mapping[str, tuple[str, bytes]] | None = None,
    ) -> httpx.Response:
        """Send a request as a page of ours would."""
        usual: dict[str, str | None] = {"host": self.entrance.host, "sec-fetch-site": "same-origin"}
        usual |= {"cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}
        usual |= {} if method in {"GET", "HEAD"} else {"origin": self.entrance.origin}
        sent = {name: value for name, value in {**usual, **(headers or {})}.items() if value is not None}
        address = self.entrance.origin + (self.entrance.prefix if prefix is None else prefix) + path

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, client=("127.0.0.1", 50000))
            async with httpx.AsyncClient(transport=transport, follow_redirects=False) as client:
                client.headers.clear()
                return await client.request(method, address, headers=sent, data=data, files=files)

        return asyncio.run(ask())

    def post(
        self,
        path: str,
        data: Mapping[str, str | list[str]] | None = None,
        files: Mapping[str, tuple[str, bytes]] | None = None,
    ) -> httpx.Response:
        """Send a form with its token."""
        return self.send("POST", path, data={FORM_FIELD: self.entrance.token, **(data or {})}, files=files)

    def open(self, secret: str, **headers: str | None) -> httpx.Response:
        """Send a secret as the file's page does."""
        usual: dict[str, str | None] = {"origin": "null", "sec-fetch-site": "cross-site", **headers}
        return self.send("POST", OPENING, data={OPENING_FIELD: secret}, headers=usual, prefix="")

    def come_in(self) -> None:
        """Keep the cookie as a browser does."""
        answer = self.open(self.entrance.issue())
        self.cookie = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]


def open_desk(folder: Path, close: Callable[[], None] = do_nothing, *, memory: int | None = None) -> DeskClient:
    """Return a browser that has come in."""
    entrance = Entrance(port=PORT, is_ours=lambda _: True)
    app = create_desk(DeskSettings(folder=folder, entrance=entrance, close=close, memory=memory))
    client = DeskClient(app=app, entrance=entrance)
    client.come_in()
    return client
