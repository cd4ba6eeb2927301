"""What a question about risk answers as plain data, and whether what must hold does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from sekisho.safety.records.record_risk import IndividualRisk, RecordRisk, SpecialFigures
from sekisho.safety.records.uniques.suda_scores import StandOut
from sekisho.words import Said

SLACK = 1e-12
SHOWN_RISKS = (0.5, 0.9, 0.99)


def describe_risk(risk: RecordRisk) -> dict[str, object]:
    """Return the answer as plain data."""
    keys: dict[str, object] = {
        "rows": risk.rows,
        "keys": list(risk.keys),
        "k": risk.k,
        "classes": risk.classes,
        "uniques": risk.uniques,
        "l": risk.diversity,
        "t": risk.closeness,
        "sizes": [
            {"size": size, "rows": count, "classes": None if risk.missing_matches else count // size}
            for size, count in risk.count_sizes()
        ],
        "missing": dict(risk.missing),
        "missing_matches": risk.missing_matches,
        "sensitive": [asdict(each) for each in risk.sensitive],
        "reidentification": asdict(risk.reidentification),
        "warnings": [*map(str, risk.remarks), *list_household_warnings(risk)],
    }
    if risk.household is not None:
        keys["household"] = risk.household.to_dict()
    return keys | _describe_population(risk) | _describe_special(risk)


def list_household_warnings(risk: RecordRisk) -> list[Said]:
    """Return what must be said of households: where members share a class the usual product is no risk of theirs."""
    homes = risk.household
    if homes is None or not homes.understated:
        return []
    return [
        Said(
            "members of {understated:,} households share a class: the usual product over members (independent) says "
            "too little of them",
            understated=homes.understated,
        )
    ]


def _describe_population(risk: RecordRisk) -> dict[str, object]:
    keys: dict[str, object] = {}
    if risk.people is not None:
        keys["population"] = {
            "people": risk.people,
            "fraction": risk.fraction,
            "estimates": [
                {
                    "estimator": each.estimator,
                    "uniques": each.uniques,
                    "of_sample": each.of_sample,
                    "assumes": each.assumes,
                }
                for each in risk.estimates
            ],
        }
    if risk.population is not None:
        low, high = risk.population.presence
        keys |= {"k_map": risk.population.least_map, "presence": {"low": low, "high": high}}
    if risk.individual is not None:
        keys["individual"] = _describe_individual(risk.individual, risk.reidentification.limit)
    return keys


def _describe_individual(individual: IndividualRisk, limit: float) -> dict[str, object]:
    return {
        "expected_matches": individual.expected,
        "highest": individual.highest,
        "above_limit": individual.count_above(limit),
        "quantiles": dict(zip(map(str, SHOWN_RISKS), individual.compute_quantiles(SHOWN_RISKS), strict=True)),
        "model": "negative binomial (Benedetti and Franconi); no bound",
    }


def _describe_special(risk: RecordRisk) -> dict[str, object]:
    special = risk.special
    if special is None:
        return {}
    by_size = special.count_minimal()
    return {
        "suda": {
            "largest_set": special.largest,
            "minimal_uniques": sum(by_size),
            "by_size": {str(size): count for size, count in enumerate(by_size, 1)},
            "highest_score": special.find_highest_score(),
            "dis": special.compute_dis(risk.fraction),
            "dis_fraction": risk.fraction,
            "dis_fraction_assumed": risk.people is None,
            "highest_dis_score": special.find_highest_dis_score(risk.fraction),
            "contributions": _name_contributions(risk, special),
        },
        "sets": [
            {"keys": [risk.keys[key] for key in chosen], "uniques": count}
            for chosen, count in zip(special.sets, special.uniques, strict=True)
        ],
        "stand_out": [_describe_stand_out(each) for each in risk.stand_outs],
    }


def _name_contributions(risk: RecordRisk, special: SpecialFigures) -> Mapping[str, float]:
    return dict(zip(risk.keys, special.compute_contributions().tolist(), strict=True))


def _describe_stand_out(each: StandOut) -> dict[str, object]:
    return {
        "row": each.row + 1,
        "score": each.score,
        "minimal_uniques": each.minimal,
        "because": dict(zip(each.columns, each.values, strict=True)),
    }


def check_wanted(
    found: RecordRisk, *, k: int | None = None, l: int | None = None, t: float | None = None
) -> dict[str, bool]:
    """Return of each thing that must hold whether it does.

    Args:
        found: what was counted.
        k: the least size of a class; where a column says who lives together, also the least number of households
            alike.
        l: the least distinct diversity of one.
        t: the largest distance of one.
    """
    kept = dict[str, bool]()
    if k is not None:
        kept["k"] = found.k >= k
        if found.household is not None:
            kept["household"] = found.household.k >= k
    if l is not None:
        kept["l"] = found.diversity is not None and found.diversity >= l
    if t is not None:
        kept["t"] = found.closeness is not None and found.closeness <= t + SLACK
    return kept
