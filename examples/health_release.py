"""Health records through the contest of 2021: protect them three ways, let adversaries try, and see which conditions hold."""

from __future__ import annotations

from sekisho.gate.records.cross import Planned

from sekisho.contest.records.conditions import conditions
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.synthetic.health import health_records
from sekisho.gate.records.plan import Trial
from sekisho.gate.records.risk import measured_risks, record_adversaries, strongest
from sekisho.protect import Method
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.swap import Swap
from sekisho.seeds import Seed


def main() -> None:
    """Compare noise, the seed's swap and the planner's way on invented people."""
    seed, rules = Seed(2021), read_record_rules("pwscup2021")
    people = health_records(2000, rng=seed.child("people").rng())
    chance = DeleteRandom(share=0.45)
    methods: dict[str, Method] = {
        "noise": InTurn(delete=chance, change=Noise(limit=4)),
        "swap": InTurn(delete=chance, change=Swap(few=-1)),
        # So few records have few partners: rare values must be lent more often, or the correlations with age fall.
        "planned": Planned(rules=rules, trial=Trial(lean=0.0, pull=-0.5)),
    }
    every = record_adversaries()
    adversaries = {name: every[name] for name in ("nearest", "random-partner", "swapback", "calibrated")}
    for name, method in methods.items():
        release = method.apply(people, rng=seed.child(name).rng())
        checked = conditions(rules, people, release)
        broken = [condition.name for condition in checked if not condition.met]
        risks = measured_risks(rules, people, release, adversaries, [seed.child(f"test {i}") for i in range(3)])
        top = strongest(risks)
        told = f"breaks {', '.join(broken)}" if broken else "meets every condition"
        print(f"{name:<8} risk {top.mean:.3f} under {top.adversary:<14} {told}")


if __name__ == "__main__":
    main()
