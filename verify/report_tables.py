"""Tables 6 to 10 of the PWS Cup 2018 report as printed, and what they say of the correlation with U.

``python verify/report_tables.py`` prints Pearson's r of every column with the utility index, over the thirteen releases
and without team 12, and which are significant at 5 %.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.utility.pearson import compute_correlation, compute_critical_value

TABLE_6 = """
team utility item_sets rfm wholesale retail top
10 0.193 0.208 0.086 0.655 0.759 0.212
01 0.206 0.216 0.085 0.726 0.785 0.221
11 0.206 0.214 0.085 0.726 0.785 0.220
14 0.206 0.217 0.085 0.725 0.785 0.220
06 0.209 0.219 0.089 0.773 0.796 0.225
13 0.255 0.202 0.116 0.723 0.782 0.223
05 0.262 0.209 0.119 0.763 0.802 0.239
08 0.277 0.206 0.100 0.794 0.820 0.238
03 0.294 0.243 0.087 0.805 0.818 0.248
02 0.365 0.367 0.104 0.896 0.885 0.261
09 0.430 0.255 0.097 0.865 0.882 0.271
07 0.457 0.231 0.108 0.864 0.879 0.295
12 0.476 0.600 0.253 0.864 0.885 0.207
"""
TABLE_7 = """
team rows top_items
10 1912 0.114
01 2622 0.108
11 2622 0.109
14 2622 0.109
06 2609 0.120
13 1074 0.123
05 1588 0.110
08 1284 0.117
03 4250 0.123
02 12423 0.176
09 5400 0.151
07 2622 0.145
12 0 0.199
"""
TABLE_8 = """
team date_sum date_mean date_variance date_deviation date_largest date_least date_median
10 1012524.510 0.272 605.936 2.759 0 0 9.705
01 1343419.130 0.896 680.608 3.104 0 0 42.170
11 1343399.980 0.896 680.991 3.106 0 0 41.425
14 1343523.970 0.895 682.613 3.113 0 0 40.860
06 1341776.540 0.833 666.992 3.041 0 0 26.800
13 712427.120 1.478 1622.232 7.551 0 0 2
05 845338.140 0.192 2197.830 10.366 0 0 0.770
08 730917.230 0.398 1602.291 7.455 0 0 13.510
03 2207838.130 1.124 1697.699 7.916 0 0 25.645
02 6407586.200 4.233 1591.520 7.403 0 0 10.360
09 3527877.990 7.168 2956.987 14.204 0 0 40.655
07 1432050.780 0.160 3321.413 16.102 0 0 51.205
12 322002.510 3.607 172.068 0.777 0 0 60.060
"""
TABLE_9 = """
team price_sum price_mean price_variance price_deviation price_largest price_least price_median
10 21504567.050 252.435 14876936.250 3362.200 145.270 0 125.935
01 21044240.330 251.547 14818988.610 3354.846 159.860 0 582.695
11 21065201.260 251.788 14861317.520 3360.155 137.620 0 586.370
14 21095376.590 252.137 14868026.450 3360.991 148.090 0 573.050
06 28764438.240 340.543 19892290.490 3960.336 102.350 0 736.430
13 65563135.010 746.813 42525391.180 6011.711 49.890 1.170 505
05 57837663.360 664.776 37950519.640 5652.333 55.810 0.570 578.380
08 7403998.220 88.337 5319812.400 1835.185 386.180 0 457.290
03 1502531.800 3.302 86581.403 91.098 24727.530 1.020 685.585
02 56553391.610 782.315 44935363.060 6193.330 61.210 2.150 744.400
09 1219318.910 3.971 61114.859 62.456 20839.670 1.750 206.405
07 1499414.970 26.002 40122.198 39.223 19829.820 2.030 551.680
12 1351469273 15137.764 628951946.300 24553.983 2.310 0.910 40837.830
"""
TABLE_10 = """
team quantity_sum quantity_mean quantity_variance quantity_deviation quantity_largest quantity_least quantity_median
10 2050787.800 23.742 66213.665 216.073 3.340 0 5.845
01 2022186.970 23.707 66921.960 217.424 3.200 0 13.035
11 2014761.980 23.622 66641.357 216.886 2.480 0 14.125
14 2015408.170 23.629 66686.529 216.974 3.100 0 4.990
06 2023404.810 23.716 67196.689 217.947 2.680 0 5
13 4422427.840 50.288 134496.037 324.331 1.230 0 7.500
05 3804329 43.606 118416.545 301.894 1.410 0 5.220
08 4903499.120 55.905 149734.975 344.407 1.110 0 3.280
03 82847.060 0.361 683.784 8.367 1063.160 0 8
02 4343540.450 58.501 155247.526 351.419 1.100 0 15.540
09 127153.770 2.306 110.968 1.244 916.310 0 2.345
07 207315.260 2.764 116.936 1.293 860.760 0 2.710
12 61802525.510 692.248 1321850.718 1105.441 0 0 1904.295
"""

TABLES = (TABLE_6, TABLE_7, TABLE_8, TABLE_9, TABLE_10)
"""By team, in the order of the utility index."""


def read_columns() -> dict[str, NDArray[np.float64]]:
    """Return the printed columns by name; ``team`` is the team's number."""
    columns: dict[str, NDArray[np.float64]] = {}
    for table in TABLES:
        head, *lines = table.split("\n")[1:-1]
        values = np.array([[float(word) for word in line.split()] for line in lines])
        columns |= {name: values[:, place] for place, name in enumerate(head.split())}
    return columns


def main() -> None:
    """Print the correlations."""
    columns = read_columns()
    team, utility = columns.pop("team"), columns.pop("utility")
    rest = team != 12
    critical, fewer = compute_critical_value(len(team)), compute_critical_value(int(rest.sum()))
    assert critical is not None
    assert fewer is not None
    print(f"critical value of {len(team)}: {critical:.4f}, of {int(rest.sum())}: {fewer:.4f}")
    for name, values in columns.items():
        r, without = compute_correlation(utility, values), compute_correlation(utility[rest], values[rest])
        if r is None:
            print(f"{name:<20} never changes")
            continue
        mark = "significant" if abs(r) >= critical else "not significant"
        print(f"{name:<20} r {r:+.3f} {mark}; without team 12 {'–' if without is None else f'{without:+.3f}'}")


if __name__ == "__main__":
    main()
