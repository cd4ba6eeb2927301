"""Who is found again in a raw history, in pairs and in threes, how likely that refutes it, and what gave them away."""

from __future__ import annotations

from sekisho.attack import ADVERSARIES
from sekisho.attack.history.explain import explain_claims
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.attack.history.referee import judge
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.fit import fit
from sekisho.protect import METHODS
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed


def main() -> None:
    """Attack three releases of a small synthetic shop with every adversary."""
    seed, rules = Seed(7), read_history_rules("pwscup2018")
    shop = SyntheticHistory(customers=120, items=200).draw(rng=seed.child("shop").rng())
    people = len(shop.domain("customer"))
    for k in (1, 2, 3):
        release = METHODS.make("similar-length", k=k).apply(shop, rng=seed.child(f"groups of {k}").rng())
        public = release.table.take(~release.deleted)
        print(f"\ngroups of {k}")
        for name in ADVERSARIES.find_names(rules.shape):
            adversary = fit(ADVERSARIES.make(name), rules.parameters(Bound.UNION))
            guess = adversary.guess(public, shop, rng=seed.child(name).rng())
            verdict = judge(shop, release, guess, rules, Bound.UNION)
            rate = HitRate(hits=verdict.hits, trials=verdict.claimed)
            predicted = "" if guess.predicted is None else f", predicted {guess.predicted:.4f}"
            print(
                f"  {name:<18} {verdict.hits:>3} of {verdict.claimed:>3} right, {rate.low:.2f} to {rate.high:.2f} "
                f"(by chance {verdict.claimed / people:.1f}); {verdict.threshold} needed: "
                f"{'effective' if verdict.effective else 'not effective'}{predicted}"
            )
    public = METHODS.make("erase", cells=0.5).apply(shop, rng=seed.child("erased").rng()).table
    guess = MaximumKnowledge().guess(public, shop, rng=seed.child("erased").rng())
    print("\nhalf of the cells erased: what still gave people away")
    for explanation in explain_claims(guess, public, shop, claims=range(3), rows=1):
        counts = f"candidates {explanation.candidates}, by one column alone {explanation.alone}"
        print(f"  {explanation.pseudonym} is {explanation.customer}: {counts}")
        for row in explanation.rows:
            print(f"    row {row.row}: {', '.join(row.cells.values())} fits {row.customers} of {people}")


if __name__ == "__main__":
    main()
