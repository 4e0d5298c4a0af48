"""Chooses a recipe for each data set, tries it on a part of the pool, and writes recipes.json."""

import json
import math
import warnings

import numpy as np

from data import NAMES, SEED, halves, pool
from models import loss_of

DIGITS_MODEL = "forest"
DIGITS_SCALE = "none"
DIGITS_C = 1.0
DIGITS_GAMMA = 1.0
DIGITS_SIZE = 8

BREAST_CANCER_MODEL = "knn"
BREAST_CANCER_SCALE = "none"
BREAST_CANCER_C = 1.0
BREAST_CANCER_GAMMA = 1.0
BREAST_CANCER_SIZE = 10

WINE_MODEL = "svc"
WINE_SCALE = "none"
WINE_C = 1.0
WINE_GAMMA = 1.0
WINE_SIZE = 8

DIABETES_MODEL = "forest"
DIABETES_SCALE = "none"
DIABETES_C = 1.0
DIABETES_GAMMA = 1.0
DIABETES_SIZE = 2


def recipe(model, scale, c, gamma, size):
    """A recipe of models.py. `size`: the neighbours of knn, or the least rows in a leaf of a tree."""
    settings = {
        "logistic": {"C": c},
        "ridge": {"C": c},
        "svc": {"C": c, "gamma": gamma},
        "svr": {"C": c, "gamma": gamma},
        "kernel-ridge": {"C": c, "gamma": gamma},
        "knn": {"neighbours": size, "weights": "distance"},
        "forest": {"leaf": size},
        "extra-trees": {"leaf": size},
    }
    return {"model": model, "scale": scale, **settings[model]}


RECIPES = {
    "digits": recipe(DIGITS_MODEL, DIGITS_SCALE, DIGITS_C, DIGITS_GAMMA, DIGITS_SIZE),
    "breast_cancer": recipe(
        BREAST_CANCER_MODEL, BREAST_CANCER_SCALE, BREAST_CANCER_C, BREAST_CANCER_GAMMA, BREAST_CANCER_SIZE
    ),
    "wine": recipe(WINE_MODEL, WINE_SCALE, WINE_C, WINE_GAMMA, WINE_SIZE),
    "diabetes": recipe(DIABETES_MODEL, DIABETES_SCALE, DIABETES_C, DIABETES_GAMMA, DIABETES_SIZE),
}

warnings.simplefilter("ignore")
logs = []
for step, name in enumerate(NAMES, start=1):
    fit, test = halves(*pool(name), np.random.default_rng([SEED, step]))
    logs.append(math.log(max(loss_of(RECIPES[name], fit, test, SEED), 0.01)))
    print(f"step {step} loss {math.exp(sum(logs) / len(logs)):.4f}")

with open("recipes.json", "w") as file:
    json.dump(RECIPES, file)
