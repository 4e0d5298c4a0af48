"""Prints the pool of a data set as lines of numbers, the answer last: python draw.py digits > ../workspace/digits.csv"""

import sys

from sets import parts

(rows, answers), _ = parts(sys.argv[1])
for row, answer in zip(rows, answers):
    print(",".join(f"{value:.10g}" for value in [*row, answer]))
