"""A folder appears wholly or not at all."""

import multiprocessing
import os
from pathlib import Path

import pytest

from helpers.processes import DieAt, ended, fork
from perpetua_trainer.disk import publish as module
from perpetua_trainer.disk.publish import publish, set_aside, sweep, temporary_folder

MARK = "a"


def write(folder: Path) -> None:
    (folder / "a").write_text("one")
    (folder / "b").write_text("two")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_appears_at_once_and_leaves_nothing_beside(tmp_path):
    assert publish(tmp_path / "done", write, MARK)
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["a", "b"]


def test_the_first_of_two_wins_and_stays_as_it_was(tmp_path):
    assert publish(tmp_path / "done", lambda folder: (folder / "a").write_text("first"), MARK)
    assert not publish(tmp_path / "done", lambda folder: (folder / "a").write_text("second"), MARK)
    assert (tmp_path / "done" / "a").read_text() == "first"
    assert names(tmp_path) == ["done"]


def half_done(folder: Path) -> Path:
    folder.mkdir()
    (folder / "b").write_text("half")
    return folder


def test_a_folder_without_the_mark_gives_way(tmp_path):
    half_done(tmp_path / "done")
    assert publish(tmp_path / "done", write, MARK)
    assert names(tmp_path) == ["done"]
    assert (tmp_path / "done" / "b").read_text() == "two"


# Renames: its own, which fails, the move aside, its own again.
@pytest.mark.parametrize("point", range(4))
def test_killed_while_a_folder_gives_way_the_next_one_goes_on(tmp_path, point):
    def work() -> None:
        os.rename = DieAt(point).wrap(os.rename)
        publish(tmp_path / "done", write, MARK)

    half_done(tmp_path / "done")
    assert ended(fork(work)) == (-9 if point < 3 else 0)
    sweep(tmp_path)
    publish(tmp_path / "done", write, MARK)
    assert names(tmp_path) == ["done"]
    assert (tmp_path / "done" / "b").read_text() == "two"


def test_a_folder_that_is_whole_by_now_or_gone_is_not_moved(tmp_path):
    set_aside(tmp_path / "done", MARK)
    assert names(tmp_path) == []
    write(half_done(tmp_path / "done"))
    set_aside(tmp_path / "done", MARK)
    assert names(tmp_path / "done") == ["a", "b"]


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    def fail(folder: Path) -> None:
        write(folder)
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        publish(tmp_path / "done", fail, MARK)
    assert names(tmp_path) == []


# Five files and folders are made durable and one is renamed: killed before each, and never.
@pytest.mark.parametrize("point", range(6))
def test_killed_at_any_call_nothing_half_done_appears_and_the_next_one_sweeps(tmp_path, monkeypatch, point):
    def work() -> None:
        deadly = DieAt(point)
        module.fsync = deadly.wrap(module.fsync)
        os.rename = deadly.wrap(os.rename)
        publish(tmp_path / "done", write, MARK)

    code = ended(fork(work))
    assert code == (-9 if point < 5 else 0)
    # The last of the five calls comes after the rename.
    if point < 4:
        assert not (tmp_path / "done").exists()
        assert sweep(tmp_path) == 1
        assert names(tmp_path) == []
    else:
        assert names(tmp_path / "done") == ["a", "b"]
        sweep(tmp_path)
        assert names(tmp_path) == ["done"]


def test_the_work_of_a_living_writer_is_not_swept(tmp_path):
    with temporary_folder(tmp_path) as folder:
        assert sweep(tmp_path) == 0
        assert folder.is_dir()


@pytest.mark.parametrize("before", ["nothing", "a folder without the mark"])
def test_many_writers_and_sweepers_at_once_leave_one_whole_folder(tmp_path, before):
    # The wait is a bound for a child that died, so that the others end too.
    start = multiprocessing.get_context("fork").Barrier(8, timeout=60)
    if before == "a folder without the mark":
        half_done(tmp_path / "done")

    def work() -> None:
        start.wait()
        sweep(tmp_path)
        publish(tmp_path / "done", write, MARK)

    children = [fork(work) for _ in range(8)]
    assert [ended(child) for child in children] == [0] * 8
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["a", "b"]
