"""Recipes of models, and the estimators they stand for. Immutable: the evaluator has a copy of this file.

A recipe is a dictionary: the name of a model, its hyperparameters, and what happens to the features before it.
`build` refuses unknown names and values out of range, so that a recipe stays a handful of numbers.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, QuantileTransformer, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR


class Refused(Exception):
    """A recipe that is not allowed, with the reason."""


@dataclass(frozen=True)
class Number:
    """A hyperparameter: a number from `least` to `most`."""

    least: float
    most: float
    default: float
    whole: bool = False


@dataclass(frozen=True)
class Choice:
    """A hyperparameter: one of some texts. The first is the default."""

    values: tuple[str, ...]


C = Number(1e-4, 1e5, 1.0)
GAMMA = Number(1e-4, 100, 1.0)
LEAF = Number(1, 50, 1, whole=True)
TREES = Number(10, 200, 100, whole=True)
FEATURES = Number(0.02, 1, 0.3)
NEIGHBOURS = Number(1, 50, 5, whole=True)
WEIGHTS = Choice(("uniform", "distance"))
POWER = Number(1, 4, 2)
WIDTH = Number(4, 128, 32, whole=True)
EPOCHS = Number(5, 200, 60, whole=True)
RATE = Number(1e-4, 0.1, 0.003)
DECAY = Number(1e-7, 10, 1e-4)

BOOSTING = {
    "rate": Number(0.01, 0.5, 0.1),
    "rounds": Number(5, 100, 40, whole=True),
    "leaves": Number(2, 31, 8, whole=True),
    "leaf": Number(2, 50, 20, whole=True),
    "l2": Number(0, 100, 0),
}
MLP = {"width": WIDTH, "epochs": EPOCHS, "rate": RATE, "decay": DECAY}
FOREST = {"trees": TREES, "leaf": LEAF, "features": FEATURES}

CLASSIFIERS = {
    "logistic": {"C": C},
    "svc": {"C": C, "gamma": GAMMA},
    "knn": {"neighbours": NEIGHBOURS, "weights": WEIGHTS, "power": POWER},
    "forest": FOREST,
    "extra-trees": FOREST,
    "boosting": BOOSTING,
    "mlp": MLP,
    "lda": {"shrinkage": Number(0, 1, 0)},
    "bayes": {"smoothing": Number(1e-12, 1, 1e-9)},
}
REGRESSORS = {
    "ridge": {"C": C},
    "elastic": {"C": C, "l1": Number(0, 1, 0.5)},
    "svr": {"C": C, "gamma": GAMMA, "margin": Number(0, 2, 0.1)},
    "kernel-ridge": {"C": C, "gamma": GAMMA},
    "knn": {"neighbours": NEIGHBOURS, "weights": WEIGHTS, "power": POWER},
    "forest": FOREST,
    "extra-trees": FOREST,
    "boosting": BOOSTING,
    "mlp": MLP,
}
# Settings of every model: the treatment of the features and, for classes, the share of an even guess.
COMMON = {
    "scale": Choice(("none", "standard", "minmax", "robust", "quantile")),
    "degree": Number(1, 2, 1, whole=True),
    "components": Number(0, 64, 0, whole=True),
    "smooth": Number(0, 0.2, 0),
}
MOST_MEMBERS = 3
MOST_FEATURES = 600


def checked(recipe, table):
    """Returns the recipe with defaults. Raises Refused, naming the first key that is wrong."""
    if not isinstance(recipe, dict):
        raise Refused("expected a recipe to be a mapping")
    model = recipe.get("model")
    if not isinstance(model, str) or model not in table:
        raise Refused(f"expected model to be one of {', '.join(table)}")
    allowed = {**COMMON, **table[model]}
    full = {"model": model}
    for key in recipe:
        if key != "model" and key not in allowed:
            raise Refused(f"expected keys of {model}: {', '.join(allowed)}; got {str(key)[:40]!r}")
    for key, kind in allowed.items():
        full[key] = value_of(key, kind, recipe.get(key, kind.values[0] if isinstance(kind, Choice) else kind.default))
    return full


def value_of(key, kind, value):
    """Returns the value of a hyperparameter. Raises Refused if it is not allowed."""
    if isinstance(kind, Choice):
        if not isinstance(value, str) or value not in kind.values:
            raise Refused(f"expected {key} to be one of {', '.join(kind.values)}")
        return value
    # A comparison with NaN is false, and bool is an int in Python.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not kind.least <= value <= kind.most:
        raise Refused(f"expected {key} to be a number from {kind.least:g} to {kind.most:g}")
    if kind.whole and value != int(value):
        raise Refused(f"expected {key} to be a whole number")
    return int(value) if kind.whole else float(value)


def preparation(recipe, columns):
    """The steps before the model, for a number of columns."""
    steps = {
        "none": [],
        "standard": [StandardScaler()],
        "minmax": [MinMaxScaler()],
        "robust": [RobustScaler()],
        "quantile": [QuantileTransformer(n_quantiles=50, output_distribution="normal", random_state=0)],
    }[recipe["scale"]]
    if recipe["degree"] == 2:
        columns = columns * (columns + 3) // 2
        if columns > MOST_FEATURES:
            raise Refused(f"expected at most {MOST_FEATURES} features; degree 2 makes {columns}")
        steps = [*steps, PolynomialFeatures(2, include_bias=False), StandardScaler()]
    if recipe["components"] > 0:
        steps = [*steps, PCA(min(recipe["components"], columns), random_state=0)]
    return steps


class Relative:
    """An SVM or a kernel ridge whose gamma is relative to 1 / (columns × variance), the default of scikit-learn."""

    def __init__(self, make, gamma):
        self.make, self.gamma = make, gamma

    def fit(self, rows, answers):
        variance = float(rows.var()) or 1.0
        self.model = self.make(self.gamma / (rows.shape[1] * variance)).fit(rows, answers)
        return self

    def __getattr__(self, name):
        return getattr(self.__dict__["model"], name)


def classifier(r, seed):
    forest = lambda: dict(n_estimators=r["trees"], min_samples_leaf=r["leaf"], max_features=r["features"], random_state=seed)
    return {
        "logistic": lambda: LogisticRegression(C=r["C"], max_iter=200),
        "svc": lambda: Relative(
            lambda gamma: SVC(C=r["C"], gamma=gamma, probability=True, max_iter=20_000, random_state=seed), r["gamma"]
        ),
        "knn": lambda: KNeighborsClassifier(r["neighbours"], weights=r["weights"], p=r["power"]),
        "forest": lambda: RandomForestClassifier(**forest()),
        "extra-trees": lambda: ExtraTreesClassifier(**forest()),
        "boosting": lambda: HistGradientBoostingClassifier(**boosting(r), random_state=seed),
        "mlp": lambda: MLPClassifier((r["width"],), **network(r), random_state=seed),
        "lda": lambda: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=max(r["shrinkage"], 1e-6)),
        "bayes": lambda: GaussianNB(var_smoothing=r["smoothing"]),
    }[r["model"]]()


def regressor(r, seed):
    forest = lambda: dict(n_estimators=r["trees"], min_samples_leaf=r["leaf"], max_features=r["features"], random_state=seed)
    return {
        "ridge": lambda: Ridge(alpha=1 / r["C"]),
        "elastic": lambda: ElasticNet(alpha=1 / r["C"], l1_ratio=r["l1"], max_iter=2000),
        "svr": lambda: Relative(
            lambda gamma: SVR(C=r["C"], gamma=gamma, epsilon=r["margin"], max_iter=20_000), r["gamma"]
        ),
        "kernel-ridge": lambda: Relative(lambda gamma: KernelRidge(alpha=1 / r["C"], kernel="rbf", gamma=gamma), r["gamma"]),
        "knn": lambda: KNeighborsRegressor(r["neighbours"], weights=r["weights"], p=r["power"]),
        "forest": lambda: RandomForestRegressor(**forest()),
        "extra-trees": lambda: ExtraTreesRegressor(**forest()),
        "boosting": lambda: HistGradientBoostingRegressor(**boosting(r), random_state=seed),
        "mlp": lambda: MLPRegressor((r["width"],), **network(r), random_state=seed),
    }[r["model"]]()


def boosting(r):
    return dict(
        learning_rate=r["rate"],
        max_iter=r["rounds"],
        max_leaf_nodes=r["leaves"],
        min_samples_leaf=r["leaf"],
        l2_regularization=r["l2"],
        early_stopping=False,
    )


def network(r):
    return dict(learning_rate_init=r["rate"], alpha=r["decay"], max_iter=r["epochs"], batch_size=32)


def probabilities(recipe, rows, answers, asked, seed):
    """Fits a classifier. Returns the probabilities of the classes 0, 1, … of each asked row."""
    r = checked(recipe, CLASSIFIERS)
    model = make_pipeline(*preparation(r, rows.shape[1]), classifier(r, seed)).fit(rows, answers)
    classes = int(answers.max()) + 1
    return (1 - r["smooth"]) * model.predict_proba(asked) + r["smooth"] / classes


def values(recipe, rows, answers, asked, seed):
    """Fits a regressor to standardised answers. Returns the values of each asked row."""
    r = checked(recipe, REGRESSORS)
    mean, deviation = answers.mean(), answers.std()
    model = make_pipeline(*preparation(r, rows.shape[1]), regressor(r, seed)).fit(rows, (answers - mean) / deviation)
    return mean + deviation * model.predict(asked)


def members(recipe):
    """The recipes of an ensemble, or the one recipe as a list."""
    each = recipe if isinstance(recipe, list) else [recipe]
    if not 1 <= len(each) <= MOST_MEMBERS:
        raise Refused(f"expected 1 to {MOST_MEMBERS} recipes, got {len(each)}")
    return each


def loss_of(recipe, train, test, seed):
    """The loss of a recipe, fitted to `train`, on `test`, as a share of the loss of a constant guess: 0 to 100.

    `train` and `test` are pairs (rows, answers). Whole answers are classes, scored by log loss; others are values,
    scored by squared error.
    """
    (rows, answers), (asked, right) = train, test
    if np.issubdtype(answers.dtype, np.integer):
        guess = np.mean([probabilities(one, rows, answers, asked, seed) for one in members(recipe)], axis=0)
        share = np.bincount(answers, minlength=guess.shape[1]) / len(answers)
        at = np.arange(len(right))
        loss = -np.log(np.clip(guess[at, right], 1e-4, 1)).mean()
        reference = -np.log(share[right]).mean()
    else:
        guess = np.mean([values(one, rows, answers, asked, seed) for one in members(recipe)], axis=0)
        loss = ((guess - right) ** 2).mean()
        reference = ((answers.mean() - right) ** 2).mean()
    ratio = float(loss / reference)
    return min(ratio, 100.0) if np.isfinite(ratio) else float("nan")
