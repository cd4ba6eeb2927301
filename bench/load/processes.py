"""The server's processes as people start them, with what they say in files, and the processor time they took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from crash.processes import answers

START_SECONDS = 120.0
SECONDS_PER_TICK = 1 / os.sysconf("SC_CLK_TCK")


@contextmanager
def run_command(words: list[str], log: Path) -> Generator[subprocess.Popen[bytes]]:
    """Run a command of ours as long as it is needed."""
    line = [sys.executable, "-m", "sekisho", *words]
    with log.open("wb") as stream, subprocess.Popen(line, stdout=stream, stderr=stream) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def serve(url: str, store: Path, port: int, log: Path) -> Generator[subprocess.Popen[bytes]]:
    """Run the web process; it answers when this begins."""
    words = ["serve", "--database", url, "--store", str(store), "--port", str(port)]
    with run_command(words, log) as process:
        until = time.monotonic() + START_SECONDS
        while not answers(port):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(log.read_text(errors="replace")[-2000:])
            time.sleep(0.1)
        yield process


def call(*words: str | Path) -> None:
    """Make a call of ours, which must succeed."""
    subprocess.run([sys.executable, "-m", "sekisho", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def count_cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return the processor time that a process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return round((int(fields[11]) + int(fields[12])) * SECONDS_PER_TICK, 1)
