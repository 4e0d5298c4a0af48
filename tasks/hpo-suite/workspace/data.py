"""The given data: the pool of rows of each data set, with their answers, and the run's seed. Immutable.

The evaluator fits and scores recipes on random splits of the same pool. A third of each data set is in no file here.
"""

import os
from pathlib import Path

import numpy as np

NAMES = ("digits", "breast_cancer", "wine", "diabetes")
CLASSES = {"digits", "breast_cancer", "wine"}
SEED = int(os.environ.get("PERPETUA_SEED", 1))


def pool(name):
    """Returns rows and answers of a data set. Answers are whole numbers for classes."""
    table = np.loadtxt(Path(__file__).with_name(f"{name}.csv"), delimiter=",")
    return table[:, :-1], table[:, -1].astype(int) if name in CLASSES else table[:, -1]


def halves(rows, answers, generator, share=0.7):
    """Splits at random: (rows, answers) to fit, and (rows, answers) to score."""
    order = generator.permutation(len(answers))
    cut = round(share * len(answers))
    return tuple((rows[part], answers[part]) for part in (order[:cut], order[cut:]))
