"""The only file that may change. It must write predictions.json: the surface at the points of grid.py, 441 numbers."""

import json
import os
import time

import numpy as np

from grid import places

HIDDEN = 8
LEARNING_RATE = 0.003
MOMENTUM = 0.0
WEIGHT_DECAY = 0.0001
BATCH = 200
INPUT_SCALE = 1.0
STEPS = 6000

seconds = float(os.environ.get("PERPETUA_BUDGET_SECONDS", 4))
rng = np.random.default_rng(int(os.environ.get("PERPETUA_SEED", 1)))
points = np.loadtxt("points.csv", delimiter=",", skiprows=1)
inputs, targets = points[:, :2] * INPUT_SCALE, points[:, 2]

weights = [
    rng.normal(0, 1, (2, HIDDEN)),
    rng.normal(0, 1, HIDDEN),
    rng.normal(0, 1, HIDDEN) / np.sqrt(HIDDEN),
    np.zeros(1),
]
speeds = [np.zeros_like(weight) for weight in weights]


def predict(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    hidden = np.tanh(rows @ weights[0] + weights[1])
    return hidden @ weights[2] + weights[3], hidden


for step in range(1, STEPS + 1):
    # The rest of the program counts on the budget, too.
    if time.process_time() > 0.9 * seconds:
        break
    chosen = rng.integers(0, len(inputs), BATCH)
    guess, hidden = predict(inputs[chosen])
    miss = (guess - targets[chosen]) / BATCH
    back = np.outer(miss, weights[2]) * (1 - hidden**2)
    gradients = [inputs[chosen].T @ back, back.sum(axis=0), hidden.T @ miss, miss.sum(keepdims=True)]
    for i, gradient in enumerate(gradients):
        speeds[i] = MOMENTUM * speeds[i] - LEARNING_RATE * (gradient + WEIGHT_DECAY * weights[i])
        weights[i] += speeds[i]
    if step % 300 == 0:
        loss = float(np.mean((predict(inputs)[0] - targets) ** 2))
        print(f"step {step} loss {loss:.6f}")

surface, _ = predict(places() * INPUT_SCALE)
with open("predictions.json", "w") as file:
    json.dump([float(value) for value in surface], file)
