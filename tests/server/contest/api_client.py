"""Sends requests to the application in process, each in a loop of its own, so that threads may send at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Cookies, Response

Body = Mapping[str, object] | list[object] | None


class ApiClient:
    """A client that keeps cookies if it is told to."""

    def __init__(self, app: FastAPI) -> None:
        self.app, self.cookies, self.keeps = app, Cookies(), False

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Body = None,
        data: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
        content: bytes | None = None,
    ) -> Response:
        """Send a request and wait for the answer."""

        async def send() -> Response:
            transport = ASGITransport(self.app, raise_app_exceptions=False)
            async with AsyncClient(transport=transport, base_url="http://cup", cookies=self.cookies) as client:
                answer = await client.request(
                    method, path, headers=headers, json=json, data=data, files=files, content=content
                )
                if self.keeps:
                    self.cookies = client.cookies
                return answer

        return asyncio.run(send())
