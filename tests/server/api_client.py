"""Sends requests to the application in process, each in a loop of its own, so that threads may send at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Cookies, Response


class ApiClient:
    """A client that keeps cookies."""

    def __init__(self, app: FastAPI) -> None:
        self.app, self.cookies = app, Cookies()

    def request(self, method: str, path: str, **more: Any) -> Response:
        """Send a request and wait for the answer."""
        return asyncio.run(self._send(method, path, **more))

    async def _send(self, method: str, path: str, **more: Any) -> Response:
        transport = ASGITransport(self.app, raise_app_exceptions=False)
        async with AsyncClient(transport=transport, base_url="http://cup", cookies=self.cookies) as client:
            answer = await client.request(method, path, **more)
            self.cookies = client.cookies
            return answer
