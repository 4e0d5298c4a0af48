"""Writes digits.csv, the table of the problem `digits`: python make-digits.py > digits.csv

Each of 2,000 configurations trains a network with one hidden layer on 500 of scikit-learn's digits for 8 epochs, with
one seed, and counts the wrong answers on the other 1,297. Columns: positions of four knobs (0 to 9999, on the knob's
scale), the index of the activation, wrong answers. A network that diverges counts as wrong everywhere.
Packages: scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6. About two CPU minutes with OMP_NUM_THREADS=1.
"""

import warnings

import numpy as np
from scipy.stats import qmc
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

CONFIGURATIONS = 2000
ACTIVATIONS = ["relu", "tanh", "logistic"]


def log_between(low: float, high: float, position: float) -> float:
    return low * (high / low) ** position


def count_wrong(position, activation: str, data) -> int:
    train_x, test_x, train_y, test_y = data
    rate, decay, momentum, width = position
    model = MLPClassifier(
        hidden_layer_sizes=(round(log_between(4, 64, width)),),
        activation=activation,
        solver="sgd",
        batch_size=50,
        learning_rate_init=log_between(1e-3, 3, rate),
        alpha=log_between(1e-5, 10, decay),
        momentum=0.99 * momentum,
        max_iter=8,
        random_state=0,
    )
    try:
        model.fit(train_x, train_y)
        return int((model.predict(test_x) != test_y).sum())
    except ValueError:  # weights that are not finite
        return len(test_y)


def main() -> None:
    warnings.filterwarnings("ignore")
    images, labels = load_digits(return_X_y=True)
    data = train_test_split(images / 16, labels, train_size=500, random_state=0, stratify=labels)
    points = qmc.Sobol(5, seed=1).random(2048)[:CONFIGURATIONS]
    print("rate,decay,momentum,width,activation,wrong")
    for point in points:
        cells = np.minimum(np.floor(point[:4] * 10000), 9999).astype(int)
        activation = int(point[4] * len(ACTIVATIONS))
        wrong = count_wrong((cells + 0.5) / 10000, ACTIVATIONS[activation], data)
        print(",".join(str(value) for value in [*cells, activation, wrong]))


if __name__ == "__main__":
    main()
