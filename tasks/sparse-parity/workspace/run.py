"""Checks solve.py, tries it on practice problems, and leaves it as program.txt: python3 run.py

Nothing here imports or executes solve.py: it is a text in the language of tracked/. A mistake ends with exit code 1 and
its line. The score comes from the evaluator, on other problems.
"""

import os
import sys

from problems import CONSTANTS, INPUTS, draw
from tracked.program import Budget, Program
from tracked.rules import LIMITS, Fault

PRACTICE = 2

# Nesting of a program is limited. This limit is above it, and far below the stack of the process.
sys.setrecursionlimit(6_000)
try:
    with open("solve.py", "rb") as file:
        text = file.read(LIMITS["bytes"] + 1).decode("utf-8")
    program, budget = Program(text, CONSTANTS, INPUTS), Budget()
    for number, problem in enumerate(draw(os.environ.get("PERPETUA_SEED", "1"), PRACTICE), 1):
        answer, memory = program.run(problem.inputs, budget)
        verdict = "wrong" if answer != problem.answer else "right" if problem.proves(memory.seen) else "a guess"
        print("practice problem %d: %s, cost %.1f, %d reads" % (number, verdict, memory.cost, memory.reads))
except (Fault, UnicodeDecodeError) as fault:
    print("solve.py: %s" % fault, file=sys.stderr)
    sys.exit(1)
with open("program.txt", "w", encoding="utf-8", newline="") as file:
    file.write(text)
