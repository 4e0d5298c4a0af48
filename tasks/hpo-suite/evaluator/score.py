"""Scores artefacts/recipes.json: fits each recipe itself, and scores it on rows that the fit did not see.

    python score.py            random splits of the pool, drawn from PERPETUA_SEED
    python score.py held-out   fits to the whole pool, and scores the third of the rows that no search sees

A run leaves recipes, which are names and bounded numbers. No code, label or prediction of a run is used.
Exit codes: 0 scored, 3 the candidate is at fault (stderr has the reason), any other is this program's fault.
"""

import json
import math
import os
import signal
import sys
import warnings

# One thread, so that the limit of CPU seconds is a limit of work. Set before numpy loads.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np

from models import Refused, loss_of
from sets import LOADERS, generator, parts

# Small data sets are split more often, so that chance weighs alike. On a single split of the digits, one neighbour
# sometimes makes no error, and a loss of zero would decide the geometric mean alone.
SPLITS = {"digits": 3, "breast_cancer": 4, "wine": 8, "diabetes": 8}
LEAST_LOSS = 0.01
FIT_SHARE = 0.7
CPU_SECONDS = 30


def read_recipes():
    """Returns the recipes by data set. Raises Refused unless there is one for each."""
    try:
        with open("artefacts/recipes.json", encoding="utf-8") as file:
            recipes = json.load(file)
    except (ValueError, RecursionError, OverflowError) as error:
        raise Refused(f"expected recipes.json to be JSON: {str(error)[:200]}") from None
    if not isinstance(recipes, dict) or set(recipes) != set(LOADERS):
        raise Refused(f"expected recipes.json to have the keys {', '.join(LOADERS)} and no others")
    return recipes


def split(rows, answers, random):
    """A random split of a pool: what is fitted, and what is scored. The fitted part has every class."""
    while True:
        order = random.permutation(len(answers))
        cut = round(FIT_SHARE * len(answers))
        fit, test = order[:cut], order[cut:]
        if not np.issubdtype(answers.dtype, np.integer) or len(np.unique(answers[fit])) == len(np.unique(answers)):
            return (rows[fit], answers[fit]), (rows[test], answers[test])


def losses_of(recipes, held_out):
    """The loss of each data set, as a share of that of a constant guess."""
    label = f"{'held-out' if held_out else 'splits'}/{os.environ.get('PERPETUA_SEED', '1')}"
    secret = os.environ.get("PERPETUA_TASK_SECRET", "")
    losses = {}
    for name in LOADERS:
        random = generator(f"{label}/{name}/{secret}")
        pool, third = parts(name)
        pairs = [(pool, third)] if held_out else [split(*pool, random) for _ in range(SPLITS[name])]
        try:
            each = [loss_of(recipes[name], fit, test, int(random.integers(2**31))) for fit, test in pairs]
        except Refused as error:
            raise Refused(f"{name}: {error}") from None
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            raise Refused(f"{name}: scikit-learn cannot fit this recipe: {str(error)[:300]}") from None
        losses[name] = float(np.mean(each))
    return losses


def too_slow(*_):
    """Refuses at once: a package may catch an exception that is raised within its fit."""
    os.write(2, f"expected recipes that are fitted and scored within {CPU_SECONDS} CPU seconds\n".encode())
    os._exit(3)


def main():
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_slow)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    losses = losses_of(read_recipes(), held_out=sys.argv[1:] == ["held-out"])
    signal.setitimer(signal.ITIMER_PROF, 0)
    mean = math.exp(sum(math.log(max(loss, LEAST_LOSS)) for loss in losses.values()) / len(losses))
    with os.fdopen(int(os.environ.get("PERPETUA_RESULT_FD", 3)), "w") as result:
        json.dump({"loss": mean, **losses}, result)


if __name__ == "__main__":
    try:
        main()
    except Refused as error:
        print(error, file=sys.stderr)
        sys.exit(3)
