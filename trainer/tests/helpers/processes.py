"""Child processes for the tests: forks, which have the imports of this process, and kills at chosen calls."""

import os
import signal
import traceback
from collections.abc import Callable


def fork(work: Callable[[], None]) -> int:
    """Runs work in a child; returns its process id. The child ends with 0, or with 1 if work raises."""
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


def exit_code(child: int) -> int:
    """Waits for the end of a child; returns its exit code, or minus the signal that killed it."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def die(*_: object) -> None:
    """Kills this process at once, as a loss of power would."""
    os.kill(os.getpid(), signal.SIGKILL)


class DieAt:
    """Kills the process before call `number`, counted from 0 over all wrapped functions."""

    def __init__(self, number: int):
        self.remaining = number

    def wrap(self, call: Callable) -> Callable:
        def wrapped(*arguments, **named):
            if self.remaining == 0:
                die()
            self.remaining -= 1
            return call(*arguments, **named)

        return wrapped
