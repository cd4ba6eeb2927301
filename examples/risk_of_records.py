"""How easily are the people of a small survey found, by which columns, and what is then learned of them?"""

from __future__ import annotations

from sekisho import KeyedRecords, RiskQuestion, Seed, health_records
from sekisho.report.kit.words import format_percent

KEYS = ("gen", "age", "race", "edu", "mar")


def main() -> None:
    """Assess synthetic health records, drawn from a population of 50,000."""
    data = health_records(2000, rng=Seed(1).rng())
    records = KeyedRecords.of(data, keys=KEYS, sensitive=("dia",), people=50_000)
    risk = RiskQuestion(special=True).assess(records)
    print(f"{risk.uniques:,} of {risk.rows:,} records stand alone by {', '.join(KEYS)}; k = {risk.k}")
    print(f"l = {risk.diversity}, t = {risk.closeness:.3f}")
    for each in risk.estimates:
        if each.of_sample is not None:
            print(f"{format_percent(each.of_sample)} of them alone in the population too, if {each.assumes}")
    if risk.special is not None:
        for key, share in zip(KEYS, risk.special.compute_contributions(), strict=True):
            print(f"{key} has a part in {format_percent(float(share))} of the scores")
        for person in risk.stand_outs[:3]:
            why = ", ".join(f"{name} = {value}" for name, value in zip(person.columns, person.values, strict=True))
            print(f"row {person.row + 1} stands out: nobody else has {why}")


if __name__ == "__main__":
    main()
