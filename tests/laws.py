"""How many examples a law is tried on: one number for the whole suite, and each law's share of it.

``SEKISHO_EXAMPLES`` says how many examples a law is tried on that says nothing else, 25 unless it is set. A law that
needs more of them, or that is dear, says how many it takes *usually*, that is, beside those 25; it has more where the
suite has more: with ``SEKISHO_EXAMPLES=1000`` a law that says 60 is tried on 2,400.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

USUAL_EXAMPLES = 25
EXAMPLES = int(os.environ.get("SEKISHO_EXAMPLES", "") or USUAL_EXAMPLES)
PROFILE = "house"


def load_profile() -> None:
    """Have every law tried in the same way: the same examples each time, however long one takes."""
    settings.register_profile(
        PROFILE, max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile(PROFILE)


def scale_examples(usually: int) -> int:
    """Return on how many examples a law is tried now that is usually tried on so many; at least one."""
    return max(1, round(usually * EXAMPLES / USUAL_EXAMPLES))


def try_examples(usually: int, *, share_fixtures: bool = False) -> settings:
    """Return the settings of a law that is usually tried on so many examples.

    Args:
        usually: how many, where the suite tries 25.
        share_fixtures: whether all examples may use what a fixture made for the first of them (a folder to write in).
    """
    checks = [HealthCheck.too_slow, *([HealthCheck.function_scoped_fixture] if share_fixtures else [])]
    return settings(max_examples=scale_examples(usually), suppress_health_check=checks)
