"""Writes ped-anova.json: importances by Optuna's PED-ANOVA for three made-up studies.

uv run --no-project --python 3.11 --with optuna==5.0.0 --with scipy python make.py
"""

import json
import math
import random
from pathlib import Path

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.importance import PedAnovaImportanceEvaluator

optuna.logging.set_verbosity(optuna.logging.ERROR)
FILE = "train.py"
SPACE = {
    "LR": (FloatDistribution(1e-5, 1.0, log=True), {"type": "float", "range": [1e-5, 1.0], "scale": "log"}),
    "DROPOUT": (FloatDistribution(0.0, 0.5), {"type": "float", "range": [0.0, 0.5]}),
    "LAYERS": (IntDistribution(1, 8), {"type": "int", "range": [1, 8]}),
    "WIDTH": (IntDistribution(8, 1024, log=True), {"type": "int", "range": [8, 1024], "scale": "log"}),
    "STEPS": (IntDistribution(100, 900), {"type": "int", "range": [100, 900]}),
    "ACTIVATION": (CategoricalDistribution(["relu", "gelu", "tanh"]), {"type": "choice", "values": ["relu", "gelu", "tanh"]}),
}


def draw(rng: random.Random, missing: bool) -> dict:
    values = {
        "LR": float(f"{10 ** rng.uniform(-5, 0):.4g}"),
        "DROPOUT": float(f"{rng.uniform(0, 0.5):.4g}"),
        "LAYERS": rng.randint(1, 8),
        "WIDTH": round(8 * 128 ** rng.random()),
        "STEPS": rng.randint(100, 900),
        "ACTIVATION": rng.choice(["relu", "gelu", "tanh"]),
    }
    if missing and rng.random() < 0.4:
        del values["DROPOUT"]
    return values


def loss(rng: random.Random, values: dict) -> float:
    far = abs(math.log10(values["LR"]) + 2.5)
    act = {"relu": 0.3, "gelu": 0.0, "tanh": 0.6}[values["ACTIVATION"]]
    return round(far + act + 0.1 * abs(values["LAYERS"] - 4) + values.get("DROPOUT", 0.2) + rng.gauss(0, 0.1), 2)


def study(name: str, trials: int, direction: str, quantile: float) -> dict:
    rng = random.Random(name)
    made = optuna.create_study(direction=direction)
    observations = []
    for _ in range(trials):
        values = draw(rng, missing=name == "missing")
        value = loss(rng, values) * (1 if direction == "minimize" else -1)
        observations.append({"knobs": {f"{FILE}:{key}": one for key, one in values.items()}, "value": value})
        spaces = {key: SPACE[key][0] for key in values}
        made.add_trial(optuna.trial.create_trial(params=values, distributions=spaces, value=value))
    found = PedAnovaImportanceEvaluator(target_quantile=quantile).evaluate(made)
    importances = {f"{FILE}:{key}": value for key, value in found.items()}
    return {
        "name": name, "direction": direction, "top": math.ceil(quantile * trials),
        "observations": observations, "importances": importances,
    }


knobs = [{"file": FILE, "name": key, **form} for key, (_, form) in SPACE.items()]
studies = [
    study("hundred", 100, "minimize", 0.1),
    study("few", 25, "maximize", 0.2),
    study("missing", 120, "minimize", 0.1),
]
lines = {"optuna": optuna.__version__, "knobs": knobs, "studies": studies}
Path(__file__).with_name("ped-anova.json").write_text(json.dumps(lines) + "\n")
