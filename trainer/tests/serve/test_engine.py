"""The line before the one thread that computes."""

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
        return [ValueError(one) if one == "bad" else one * 2 for one in items]

    started: list[Engine] = []

    def make(**named) -> Engine:
        started.append(Engine(run, **named))
        started[-1].start(lambda: None)
        return started[-1]

    yield make
    for one in started:
        one.stop()


@pytest.fixture
def engine(make_engine):
    return make_engine()


def test_what_waits_at_the_same_time_runs_together_past_a_call(engine, batches):
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
    # The call came after the first sample, so it ran after that one's batch.
    assert called.result() == 1
    assert batches == [["a", "bad", "c"]]


class Window(threading.Condition):
    """A condition whose timed waits end when the test says so; `asked` has their seconds."""

    def __init__(self):
        super().__init__()
        self.asked: list[float] = []
        self.over = False

    def wait_for(self, predicate, timeout=None):
        if timeout is None:
            return super().wait_for(predicate)
        self.asked.append(timeout)
        self.notify_all()
        return super().wait_for(lambda: predicate() or self.over)

    def wait_until_asked(self) -> None:
        with self:
            assert super().wait_for(lambda: self.asked, 60), "a window never began"

    def end(self) -> None:
        with self:
            self.over = True
            self.notify_all()


def test_an_idle_engine_waits_for_what_comes_within_its_window(make_engine, batches):
    window = Window()
    engine = make_engine(clock=lambda: 100.0, changed=window)
    first = engine.submit("a")
    window.wait_until_asked()
    rest = [engine.submit(word) for word in "bc"]
    assert (batches, window.asked) == ([], [pytest.approx(WINDOW_S)])
    window.end()
    assert [one.result() for one in [first, *rest]] == ["aa", "bb", "cc"]
    assert batches == [["a", "b", "c"]]


def test_what_came_longer_ago_than_a_window_waits_no_more(make_engine, batches):
    window, now = Window(), iter([0.0, 100.0, 100.0 + 2 * WINDOW_S])
    engine = make_engine(clock=lambda: next(now), changed=window)
    window.end()
    assert engine.submit("a").result() == "aa"
    assert window.asked == [0]


def test_a_call_that_raises_ends_neither_the_thread_nor_the_line(engine):
    with pytest.raises(ZeroDivisionError):
        engine.call(lambda: 1 / 0).result()
    assert engine.submit("a").result() == "aa"


def test_what_comes_after_the_end_is_told_so(engine):
    engine.stop()
    with pytest.raises(Problem, match="one that ends"):
        engine.submit("a")
