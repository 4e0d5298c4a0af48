"""Draws problems: bits x, labels y, and the secret positions whose parity is the label."""

import random
from itertools import combinations

N = 20  # bits of a sample
K = 3  # secret positions
M = 64  # samples of a problem
PROBLEMS = 16
DOUBT = 1_000  # an answer counts if the chance that it is wrong is at most 1 in this number
CONSTANTS = {"N": N, "K": K, "M": M}
# The arrays of the inputs, the top of the stack first.
INPUTS = [("y", M), ("x", M * N)]


class Problem:
    """`inputs`: the cells of y, then those of x. `answer`: 2 ** position, summed over the secret positions."""

    def __init__(self, secret, rng):
        rows = [rng.getrandbits(N) for _ in range(M)]
        self.answer = sum(1 << position for position in secret)
        labels = [bin(row & self.answer).count("1") % 2 for row in rows]
        self.inputs = labels + [row >> position & 1 for row in rows for position in range(N)]

    def proves(self, seen):
        """True if the cells that a program read prove the answer. The others are unknown, and fair coins.

        A sample tests a set of positions if its label and its bits there are known. The right set passes each test, and
        any other set passes with chance 1/2. So a test passed doubles the odds, and one failed excludes the set.
        """
        known, ones = [0] * (N + 1), [0] * (N + 1)  # the samples by position, and the labels last
        for cell in seen:
            sample, position = divmod(cell - M, N) if cell >= M else (cell, N)
            known[position] |= 1 << sample
            ones[position] |= self.inputs[cell] << sample
        total, answer = 0, 0
        for a, b, c in combinations(range(N), K):
            tested = known[a] & known[b] & known[c] & known[N]
            if (ones[a] ^ ones[b] ^ ones[c] ^ ones[N]) & tested:
                continue
            odds = 1 << bin(tested).count("1")
            total += odds
            if self.answer == 1 << a | 1 << b | 1 << c:
                answer = odds
        return (total - answer) * DOUBT <= total


def draw(seed, count=PROBLEMS):
    """Draws `count` problems in random order.

    The secrets are stratified: each of `count` equal parts of the list of all secrets gives one. So the mean cost of a
    search through this list hardly depends on the draw. A program cannot use this, since it sees one problem.
    """
    rng = random.Random("perpetua/sparse-parity/%s" % seed)
    secrets = list(combinations(range(N), K))
    chosen = [secrets[int((part + rng.random()) * len(secrets) / count)] for part in range(count)]
    rng.shuffle(chosen)
    return [Problem(secret, rng) for secret in chosen]
