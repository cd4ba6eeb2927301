"""Figures for those who watch the server: counts only, nothing of a team or a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock


@dataclass(slots=True, kw_only=True)
class Metrics:
    """Counts of this process."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter[tuple[str, str, int]])
    seconds: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    lock: Lock = field(default_factory=Lock)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self.lock:
            self.requests[method, route, status] += 1
            self.seconds[method, route] = self.seconds.get((method, route), 0.0) + seconds

    def write(self, gauges: dict[str, float]) -> str:
        """Return all figures in the text form of Prometheus."""
        with self.lock:
            requests, seconds = dict(self.requests), dict(self.seconds)
        lines = ["# TYPE sekisho_requests_total counter"]
        lines += [
            f'sekisho_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
            for (method, route, status), count in sorted(requests.items())
        ]
        lines.append("# TYPE sekisho_request_seconds_total counter")
        lines += [
            f'sekisho_request_seconds_total{{method="{method}",route="{route}"}} {total:.6f}'
            for (method, route), total in sorted(seconds.items())
        ]
        for name, value in sorted(gauges.items()):
            lines += [f"# TYPE {name.partition('{')[0]} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"
