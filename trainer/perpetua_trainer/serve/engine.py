"""The one thread that computes: what comes in waits in line, and samples that come together run together.

A step, or a checkpoint that is loaded, goes by itself; samples wait meanwhile. So no lock guards a model, and a
sample's version cannot change under it.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any

from .problem import Problem

WINDOW_S = 0.02


@dataclass
class Waiting:
    """One piece of work: `item` for the function that samples, or `call`, which is run alone."""

    came: float
    item: Any = None
    call: Callable[[], Any] | None = None
    future: Future = field(default_factory=Future)


class Engine:
    """run_together gets items that came within WINDOW_S, or while the thread was busy, and each item's outcome back.

    clock: seconds. changed: guards the line, and is waited on until a window is over.
    """

    def __init__(
        self,
        run_together: Callable[[list], list],
        clock: Callable[[], float] = time.monotonic,
        changed: Condition | None = None,
    ):
        self.run_together = run_together
        self.clock = clock
        self.line: list[Waiting] = []
        self.changed = changed or Condition()
        self.stopping = False
        self.thread = Thread(target=self.work, name="engine", daemon=True)

    def start(self, set_up: Callable[[], None]) -> None:
        """set_up runs in the thread first: torch's number of threads is each thread's own."""
        self.thread.start()
        self.call(set_up).result()

    def submit(self, item: Any) -> Future:
        return self.put(Waiting(self.clock(), item=item))

    def call(self, call: Callable[[], Any]) -> Future:
        return self.put(Waiting(self.clock(), call=call))

    def put(self, waiting: Waiting) -> Future:
        with self.changed:
            if self.stopping:
                raise stopped()
            self.line.append(waiting)
            self.changed.notify_all()
        return waiting.future

    def stop(self) -> None:
        """Lets the step at work end; what waits is answered 503, and so are samples under way."""
        with self.changed:
            self.stopping = True
            left, self.line = self.line, []
            self.changed.notify_all()
        for one in left:
            one.future.set_exception(stopped())
        self.thread.join()

    def check(self) -> None:
        """Raises Problem where the server ends: called between the tokens of a sample."""
        if self.stopping:
            raise stopped()

    def work(self) -> None:
        while chosen := self.next():
            if chosen[0].call is not None:
                outcomes = [outcome_of(chosen[0].call)]
            else:
                outcomes = self.run_together([one.item for one in chosen])
            for one, outcome in zip(chosen, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    one.future.set_exception(outcome)
                else:
                    one.future.set_result(outcome)

    def next(self) -> list[Waiting]:
        """The first in line; where it samples, all others that do. Empty when the server ends."""
        with self.changed:
            self.changed.wait_for(lambda: self.line or self.stopping)
            if self.line and self.line[0].call is None:
                left = self.line[0].came + WINDOW_S - self.clock()
                self.changed.wait_for(lambda: self.stopping, max(0, left))
            if not self.line:
                return []
            if self.line[0].call is not None:
                return [self.line.pop(0)]
            chosen = [one for one in self.line if one.call is None]
            self.line = [one for one in self.line if one.call is not None]
            return chosen


def outcome_of(call: Callable[[], Any]) -> Any:
    """What a call returns, or the exception that it raises."""
    try:
        return call()
    except Exception as error:
        return error


def stopped() -> Problem:
    return Problem(503, "ending", "expected a server that goes on, got one that ends: ask the next one")
