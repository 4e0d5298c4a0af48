"""Data sets of scikit-learn, split by the installation's secret into the pool and a third that no search sees."""

import hashlib
import os

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

LOADERS = {
    "digits": load_digits,
    "breast_cancer": load_breast_cancer,
    "wine": load_wine,
    "diabetes": lambda: load_diabetes(scaled=False),
}
CLASSES = {"digits", "breast_cancer", "wine"}
# First digits of the SHA-256 of the numbers: a data set that a package or a candidate changed is not used.
DIGESTS = {"digits": "30aa855cd90427ff", "breast_cancer": "54cbf95e148c6eed", "wine": "b6ff7c6847be41ee", "diabetes": "a0e711ca654c7685"}


def generator(label):
    """A stream of random numbers for a label."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"hpo-suite/{label}".encode()).digest()[:16], "big"))


def digest_of(rows, answers):
    """The first digits of the SHA-256 of a data set."""
    return hashlib.sha256(np.column_stack([rows, answers]).astype("<f8").tobytes()).hexdigest()[:16]


def parts(name):
    """Returns the pool and the third of a data set: ((rows, answers), (rows, answers)). Classes keep their shares."""
    data = LOADERS[name]()
    rows, answers = data.data, data.target
    if digest_of(rows, answers) != DIGESTS[name]:
        raise RuntimeError(f"expected the {name} data of scikit-learn 1.7.2, got numbers with the digest {digest_of(rows, answers)}")
    random = generator(f"parts/{name}/{os.environ.get('PERPETUA_TASK_SECRET', '')}")
    order = random.permutation(len(answers))
    if name in CLASSES:
        answers = answers.astype(int)
        # The k-th row of each class, in random order: every third of these goes to the third.
        rank = np.empty(len(answers), int)
        for value in np.unique(answers):
            members = order[answers[order] == value]
            rank[members] = np.arange(len(members))
        third = rank[order] % 3 == 2
    else:
        third = np.arange(len(order)) % 3 == 2
    return tuple((rows[order[part]], answers[order[part]]) for part in (~third, third))
