"""A contest through the API must come to what the command line says, to the byte; nothing it answers may tell truth."""

from __future__ import annotations

from tests.server.cup_site import CupSite


def test_a_whole_contest_runs_through_the_api(cup: CupSite) -> None:
    cup.play()
    answer = cup.call("", "GET", "/api/v1/standings").json()
    assert answer["revealed"]
    assert [each["team"] for each in answer["standings"]] != []
    print(answer)
