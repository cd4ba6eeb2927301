"""How much must a shop give up so that every customer hides among k, and how far from the best is that?"""

from __future__ import annotations

from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError


def main() -> None:
    """Protect a small synthetic shop with groups of two and three, beside the simple baseline."""
    seed = Seed(11)
    shop = SyntheticHistory(customers=60, items=150).draw(rng=seed.child("shop").rng())
    for k in (2, 3):
        simple = SimilarLength(k=k).apply(shop, rng=seed.child("simple").rng())
        print(f"k = {k}: similar length U = {CellError().compare(shop, simple).value:.4f}")
        steps = list(Groups(k=k, effort=3.0).improve(shop, rng=seed.child("groups").rng()))
        first, last = steps[0], steps[-1]
        print(f"       groups U = {first.utility:.4f}, searched on to {last.utility:.4f}; none below {last.bound:.4f}")
        release = last.release()
        print(f"       rows published {int((~release.deleted).sum())} of {len(shop)}")


if __name__ == "__main__":
    main()
