"""The line before the one thread that computes."""

import threading

import pytest

from perpetua_trainer.serve import engine as module
from perpetua_trainer.serve.engine import Engine
from perpetua_trainer.serve.problem import Problem


@pytest.fixture
def batches() -> list[list]:
    return []


@pytest.fixture
def engine(batches):
    def run(items: list) -> list:
        batches.append(items)
        return [ValueError(one) if one == "bad" else one * 2 for one in items]

    one = Engine(run)
    one.start(lambda: None)
    yield one
    one.stop()


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


def test_an_idle_engine_waits_for_what_comes_within_its_window(engine, batches, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_S", 1)
    assert [one.result() for one in [engine.submit(word) for word in "abc"]] == ["aa", "bb", "cc"]
    assert batches == [["a", "b", "c"]]


def test_a_call_that_raises_ends_neither_the_thread_nor_the_line(engine):
    with pytest.raises(ZeroDivisionError):
        engine.call(lambda: 1 / 0).result()
    assert engine.submit("a").result() == "aa"


def test_what_comes_after_the_end_is_told_so(engine):
    engine.stop()
    with pytest.raises(Problem, match="one that ends"):
        engine.submit("a")
