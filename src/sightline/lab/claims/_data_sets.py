"""The data sets of the experiments on distilled trees."""

CHOSEN_ON = (  # noqa: SIM905
    "breast-w car cmc credit-g diabetes glass heart-statlog ionosphere segment vehicle"
).split()
"""The constants of DistilledTreeClassifier were chosen on these data sets."""

CONFIRMED_ON = (  # noqa: SIM905
    "autos balance-scale colic compas credit-a dermatology heart-c heloc hepatitis liver-disorders "
    "page-blocks sonar soybean tic-tac-toe vote yeast"
).split()
"""No constant was chosen on these, with two exceptions that the page names."""

GAIN_ON = (
    *(name for name in CONFIRMED_ON if name not in ("compas", "heloc", "page-blocks")),
    *("breast-cancer", "iris", "labor", "lymph", "monk3", "promoters", "tae", "wine"),
)
"""Data sets of at most 1,500 rows, for ten folds of ensembles of 200 trees. Nothing was chosen on the added
ones."""
