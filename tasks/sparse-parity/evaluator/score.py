"""Scores artefacts/program.txt: runs judge.py in a process with limits, and reports its numbers.

Exit codes: 0 scored, 3 the candidate is at fault (stderr has the reason), any other is a fault of the evaluator.
"""

import os
import subprocess
import sys

SECONDS = 50
MEMORY_BYTES = 1 << 30


def limit():
    """Limits the memory of the judge, where the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(3)


try:
    done = subprocess.run(
        [sys.executable, "-B", "judge.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit
    )
except subprocess.TimeoutExpired:
    refuse("expected a program that is judged within %d s" % SECONDS)
if done.returncode < 0:
    refuse("expected a program that the judge survives, but signal %d ended it" % -done.returncode)
if done.returncode == 3:
    refuse(done.stderr.decode("utf-8", "replace").strip())
if done.returncode:
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    sys.exit(1)
os.write(int(os.environ.get("PERPETUA_RESULT_FD", "3")), done.stdout)
