"""The only thread that computes. Work waits in a queue, and samples that arrive together run together.

A step or the loading of a checkpoint runs alone, while samples wait. So models need no locks, and the version of a
sample cannot change while it runs.
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
    """Work in the queue: `item` for run_together, or `call`, which runs alone. arrived: seconds of the clock."""

    arrived: float
    item: Any = None
    call: Callable[[], Any] | None = None
    future: Future = field(default_factory=Future)


class Engine:
    """Runs work in its thread.

    run_together: computes the items that arrived within WINDOW_S or while the thread was busy; returns the result or
    the exception of each. clock: returns seconds. changed: guards the queue, and reports its changes and the end.
    """

    def __init__(
        self,
        run_together: Callable[[list], list],
        clock: Callable[[], float] = time.monotonic,
        changed: Condition | None = None,
    ):
        self.run_together = run_together
        self.clock = clock
        self.queue: list[Waiting] = []
        self.changed = changed or Condition()
        self.stopping = False
        self.thread = Thread(target=self.work, name="engine", daemon=True)

    def start(self, set_up: Callable[[], None]) -> None:
        """Starts the thread, and runs set_up in it first: torch keeps a number of threads for each thread."""
        self.thread.start()
        self.call(set_up).result()

    def submit(self, item: Any) -> Future:
        """Queues an item for run_together. Raises Problem if the server ends."""
        return self.put(Waiting(self.clock(), item=item))

    def call(self, call: Callable[[], Any]) -> Future:
        """Queues a function that runs alone. Raises Problem if the server ends."""
        return self.put(Waiting(self.clock(), call=call))

    def put(self, waiting: Waiting) -> Future:
        with self.changed:
            if self.stopping:
                raise stopped()
            self.queue.append(waiting)
            self.changed.notify_all()
        return waiting.future

    def stop(self) -> None:
        """Ends the thread after the running step. Queued work and running samples end with Problem 503."""
        with self.changed:
            self.stopping = True
            queued, self.queue = self.queue, []
            self.changed.notify_all()
        for waiting in queued:
            waiting.future.set_exception(stopped())
        self.thread.join()

    def check(self) -> None:
        """Raises Problem if the server ends. Samplers call it between the tokens of a sample."""
        if self.stopping:
            raise stopped()

    def work(self) -> None:
        """Runs all work, in the thread, until the server ends."""
        while chosen := self.next():
            if chosen[0].call is not None:
                outcomes = [outcome_of(chosen[0].call)]
            else:
                outcomes = self.run_together([waiting.item for waiting in chosen])
            for waiting, outcome in zip(chosen, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    waiting.future.set_exception(outcome)
                else:
                    waiting.future.set_result(outcome)

    def next(self) -> list[Waiting]:
        """Takes the first of the queue, and all other items if it is an item. Returns [] when the server ends."""
        with self.changed:
            self.changed.wait_for(lambda: self.queue or self.stopping)
            if self.queue and self.queue[0].call is None:
                seconds = self.queue[0].arrived + WINDOW_S - self.clock()
                self.changed.wait_for(lambda: self.stopping, max(0, seconds))
            if not self.queue:
                return []
            if self.queue[0].call is not None:
                return [self.queue.pop(0)]
            chosen = [waiting for waiting in self.queue if waiting.call is None]
            self.queue = [waiting for waiting in self.queue if waiting.call is not None]
            return chosen


def outcome_of(call: Callable[[], Any]) -> Any:
    """Result of a call, or the exception that it raises."""
    try:
        return call()
    except Exception as error:
        return error


def stopped() -> Problem:
    """Problem of work that the server ends."""
    return Problem(503, "ending", "expected a server that goes on, got one that ends: ask the next one")
