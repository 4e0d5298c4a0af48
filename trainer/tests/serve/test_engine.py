"""Tests of the queue of the thread that computes."""

import threading

import pytest

from perpetua_trainer.serve.engine import WINDOW_S, Engine
from perpetua_trainer.serve.problem import Problem


@pytest.fixture
def batches() -> list[list]:
    return []


@pytest.fixture
def make_engine(batches):
    def run(items: list) -> list:
        batches.append(items)
        return [ValueError(item) if item == "bad" else item * 2 for item in items]

    started: list[Engine] = []

    def make(**named) -> Engine:
        started.append(Engine(run, **named))
        started[-1].start(lambda: None)
        return started[-1]

    yield make
    for engine in started:
        engine.stop()


@pytest.fixture
def engine(make_engine):
    return make_engine()


def test_items_that_wait_at_the_same_time_run_together_before_a_call_between_them(engine, batches):
    hold, begun = threading.Event(), threading.Event()
    held = engine.call(lambda: (begun.set(), hold.wait())[1])
    begun.wait()
    first = engine.submit("a")
    called = engine.call(lambda: len(batches))
    second, third = engine.submit("bad"), engine.submit("c")
    hold.set()
    assert held.result() is True
    assert (first.result(), third.result()) == ("aa", "cc")
    with pytest.raises(ValueError, match="bad"):
        second.result()
    # The call arrived after the first item, so it ran after the batch of that item.
    assert called.result() == 1
    assert batches == [["a", "bad", "c"]]


class Window(threading.Condition):
    """A condition whose timed waits end when the test calls `end`. timeouts: their seconds."""

    def __init__(self):
        super().__init__()
        self.timeouts: list[float] = []
        self.over = False

    def wait_for(self, predicate, timeout=None):
        if timeout is None:
            return super().wait_for(predicate)
        self.timeouts.append(timeout)
        self.notify_all()
        return super().wait_for(lambda: predicate() or self.over)

    def wait_until_waiting(self) -> None:
        """Waits until a timed wait has begun."""
        with self:
            assert super().wait_for(lambda: self.timeouts, 60), "a window never began"

    def end(self) -> None:
        with self:
            self.over = True
            self.notify_all()


def test_an_idle_engine_waits_for_items_within_its_window(make_engine, batches):
    window = Window()
    engine = make_engine(clock=lambda: 100.0, changed=window)
    first = engine.submit("a")
    window.wait_until_waiting()
    rest = [engine.submit(item) for item in "bc"]
    assert (batches, window.timeouts) == ([], [pytest.approx(WINDOW_S)])
    window.end()
    assert [future.result() for future in [first, *rest]] == ["aa", "bb", "cc"]
    assert batches == [["a", "b", "c"]]


def test_an_item_older_than_a_window_does_not_wait(make_engine, batches):
    window, now = Window(), iter([0.0, 100.0, 100.0 + 2 * WINDOW_S])
    engine = make_engine(clock=lambda: next(now), changed=window)
    window.end()
    assert engine.submit("a").result() == "aa"
    assert window.timeouts == [0]


def test_a_call_that_raises_ends_neither_the_thread_nor_the_queue(engine):
    with pytest.raises(ZeroDivisionError):
        engine.call(lambda: 1 / 0).result()
    assert engine.submit("a").result() == "aa"


def test_an_item_after_the_end_is_refused(engine):
    engine.stop()
    with pytest.raises(Problem, match="one that ends"):
        engine.submit("a")
