"""Executes artefacts/program.txt on problems drawn from PERPETUA_SEED, and prints one JSON object.

score.py starts this program, so that a fault of Python itself ends this process alone. Exit codes: 0 scored, 3 the
program is at fault (stderr has the reason), any other is a fault of the judge.
"""

import json
import os
import sys

from problems import CONSTANTS, INPUTS, draw
from tracked.program import Budget, Program
from tracked.rules import LIMITS, Fault

FILE = "artefacts/program.txt"
# Nesting of a program is limited. This limit is above it, and far below the stack of the process.
sys.setrecursionlimit(6_000)


def read():
    """The text of the program."""
    try:
        with open(FILE, "rb") as file:
            return file.read(LIMITS["bytes"] + 1).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Fault("expected a text in UTF-8 in program.txt: %s" % error)


def judge(text, problems):
    """The numbers of a program that solves all problems. Raises a Fault if it does not."""
    program, budget = Program(text, CONSTANTS, INPUTS), Budget()
    cost, reads, wrong, guessed = 0.0, 0, 0, 0
    for problem in problems:
        answer, memory = program.run(problem.inputs, budget)
        cost, reads = cost + memory.cost, reads + memory.reads
        wrong += answer != problem.answer
        guessed += not problem.proves(memory.seen)
    if wrong:
        raise Fault("expected all %d problems solved, got %d wrong answers" % (len(problems), wrong))
    if guessed:
        raise Fault("expected %d answers proved by what the program read, got %d guesses" % (len(problems), guessed))
    steps = (LIMITS["steps"] - budget.steps) / len(problems)
    return {"cost": cost / len(problems), "reads": reads / len(problems), "steps": steps}


def main():
    """Prints the result, or ends with the reason for which there is none."""
    try:
        result = judge(read(), draw(os.environ.get("PERPETUA_SEED", "1")))
    except Fault as fault:
        print(fault, file=sys.stderr)
        sys.exit(3)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
