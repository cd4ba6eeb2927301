"""How much memory a process may take: what is free, and a limit beyond which allocation fails."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

SHARE = 0.6
"""Of what is free at the start a run may take so much."""
GIGABYTE = 1 << 30
WATCHED_SECONDS = 0.5
MEMORY_STATUS = 86
"""A process that watches its own size ends with this status once it is too large."""


def find_free_memory() -> int:
    """Return how many bytes are free for new work; a usual machine's where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next((line for line in lines if line.startswith("MemAvailable:")), "")
        return int(free.split()[1]) * 1024
    with suppress(OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return 4 * GIGABYTE


@contextmanager
def limit_memory(allowed: int, *, held: bool = False) -> Generator[None]:
    """Let this process, and those that it starts, take so many bytes more than it has; 0 sets no limit.

    Args:
        allowed: how many.
        held: whether only what this process holds counts, not what it reserves: an engine keeps a limit of its own and
            reserves several times as much. Once more is held, the process ends.

    Raises:
        MemoryError: more was asked for, by Python or an array. Libraries that cannot tell end the process.
    """
    if not allowed:
        yield
    elif sys.platform == "linux" and not held:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_measure_space() + allowed, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    else:
        ended = Event()
        Thread(target=_watch_size, args=(allowed, ended), daemon=True).start()
        try:
            yield
        finally:
            ended.set()


@contextmanager
def lift_limit(allowed: int) -> Generator[None]:
    """Let this process reserve what an engine likes, which keeps a limit of its own; after it so many bytes more.

    Where nothing limits the process, nothing does after it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform != "linux" or soft == hard:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (_measure_space() + allowed, hard))


def _measure_space() -> int:
    """Return the size of this process's address space."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def _measure_held() -> int:
    """Return how many bytes this process holds; where the system does not say, the most that it ever held."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _watch_size(allowed: int, ended: Event) -> None:
    """End this process once it has grown by more than it may."""
    start = _measure_held()
    while not ended.wait(WATCHED_SECONDS):
        if _measure_held() - start > allowed:
            os._exit(MEMORY_STATUS)
