"""Health records through the contest of 2021: protect them three ways, attack them, see which conditions hold."""

from __future__ import annotations

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.records.partners import find_partners
from sekisho.data.records.space import require_limit
from sekisho.data.synthetic.health import health_records
from sekisho.gate.fit import fit
from sekisho.gate.records.plan import PlanParameters, make_planned_release
from sekisho.gate.records.test_sets import RiskTest, make_record_adversaries
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.swap import Swap
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import check_conditions


def main() -> None:
    """Compare noise, the swap of team 10 and the planner's way on invented people."""
    seed, rules = Seed(2021), read_record_rules("pwscup2021")
    people = health_records(2000, rng=seed.child("people").rng())
    chance, parameters = DeleteRandom(share=0.45), rules.parameters()
    noise = fit(Noise(epsilon={"age": 1.0, "bmi": 2.0}, cut=4), parameters)
    swap = fit(Swap(few=-1), parameters)
    reachable = find_partners(rules.space.points(people)[0], require_limit(rules.find_round("").iloss))
    # So few records have few partners: rare values must be lent more often, or the correlations with age fall.
    plan = PlanParameters(lean=0.0, pull=-0.5)
    releases = {
        "noise": InTurn(delete=chance, change=noise).apply(people, rng=seed.child("noise").rng()),
        "swap": InTurn(delete=chance, change=swap).apply(people, rng=seed.child("swap").rng()),
        "planned": make_planned_release(rules, people, reachable, plan, rng=seed.child("planned").rng()),
    }
    every = make_record_adversaries()
    adversaries = {name: every[name] for name in ("nearest", "random-partner", "swapback", "calibrated")}
    test = RiskTest(rules=rules, seeds=[seed.child(f"test {i}") for i in range(3)])
    for name, release in releases.items():
        broken = [condition.name for condition in check_conditions(rules, people, release) if not condition.met]
        top = max(test.measure(people, release, adversaries).values(), key=lambda one: one.mean)
        answer = f"breaks {', '.join(broken)}" if broken else "meets every condition"
        print(f"{name:<8} risk {top.mean:.3f} under {top.adversary:<14} {answer}")


if __name__ == "__main__":
    main()
