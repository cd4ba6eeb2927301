"""The referee must accept exactly what the rules allow, in any order of events, and every contest must replay."""

from __future__ import annotations

from hypothesis import Phase, settings
from tests.contest.contest_machine import Contest

TestContest = Contest.TestCase
TestContest.settings = settings(max_examples=60, stateful_step_count=50, phases=[Phase.generate])
