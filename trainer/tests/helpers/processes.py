"""Processes for the tests: children that share this one's imports, and die where they are told to."""

import os
import signal
import traceback
from collections.abc import Callable


def fork(work: Callable[[], None]) -> int:
    """Runs work in a child; returns its process id. The child ends with 0, or with 1 where work raises."""
    child = os.fork()
    if child != 0:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(child: int) -> int:
    """How a child ended: its exit code, or minus the signal that killed it."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def die(*_: object) -> None:
    """As if the machine's power went, for this process."""
    os.kill(os.getpid(), signal.SIGKILL)


class DieAt:
    """Stands in for a system call: the process is killed before the call number `number`, counted from 0 over all."""

    def __init__(self, number: int):
        self.left = number

    def wrap(self, call: Callable) -> Callable:
        def wrapped(*words, **named):
            if self.left == 0:
                die()
            self.left -= 1
            return call(*words, **named)

        return wrapped
