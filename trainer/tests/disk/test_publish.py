"""Tests that a folder appears completely or not at all."""

import multiprocessing
import os
from pathlib import Path

import pytest

from helpers.processes import DieAt, exit_code, fork
from perpetua_trainer.disk import publish as module
from perpetua_trainer.disk.publish import publish, set_aside, sweep, temporary_folder

# Name of the file whose presence shows that a folder is complete.
MARK = "a"


def write(folder: Path) -> None:
    (folder / "a").write_text("one")
    (folder / "b").write_text("two")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_at_once_and_leaves_nothing_beside_it(tmp_path):
    assert publish(tmp_path / "done", write, MARK)
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["a", "b"]


def test_the_first_of_two_writers_wins_and_its_folder_stays(tmp_path):
    assert publish(tmp_path / "done", lambda folder: (folder / "a").write_text("first"), MARK)
    assert not publish(tmp_path / "done", lambda folder: (folder / "a").write_text("second"), MARK)
    assert (tmp_path / "done" / "a").read_text() == "first"
    assert names(tmp_path) == ["done"]


def half_done(folder: Path) -> Path:
    """Makes a folder without the mark."""
    folder.mkdir()
    (folder / "b").write_text("half")
    return folder


def test_a_folder_without_the_mark_is_replaced(tmp_path):
    half_done(tmp_path / "done")
    assert publish(tmp_path / "done", write, MARK)
    assert names(tmp_path) == ["done"]
    assert (tmp_path / "done" / "b").read_text() == "two"


# A replacement has three renames: new folder to `done` (fails), old folder to a temporary name, new folder to `done`.
@pytest.mark.parametrize("point", range(4))
def test_after_a_kill_while_a_folder_is_replaced_the_next_writer_completes_it(tmp_path, point):
    def work() -> None:
        os.rename = DieAt(point).wrap(os.rename)
        publish(tmp_path / "done", write, MARK)

    half_done(tmp_path / "done")
    assert exit_code(fork(work)) == (-9 if point < 3 else 0)
    sweep(tmp_path)
    publish(tmp_path / "done", write, MARK)
    assert names(tmp_path) == ["done"]
    assert (tmp_path / "done" / "b").read_text() == "two"


def test_set_aside_ignores_a_missing_or_a_complete_folder(tmp_path):
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


# A publication has five calls: fsync of two files and two folders, and a rename. Point 5 is never reached.
@pytest.mark.parametrize("point", range(6))
def test_after_a_kill_at_any_call_no_partial_folder_appears_and_a_sweep_removes_the_rest(tmp_path, monkeypatch, point):
    def work() -> None:
        deadly = DieAt(point)
        module.fsync = deadly.wrap(module.fsync)
        os.rename = deadly.wrap(os.rename)
        publish(tmp_path / "done", write, MARK)

    assert exit_code(fork(work)) == (-9 if point < 5 else 0)
    # The last of the five calls comes after the rename.
    if point < 4:
        assert not (tmp_path / "done").exists()
        assert sweep(tmp_path) == 1
        assert names(tmp_path) == []
    else:
        assert names(tmp_path / "done") == ["a", "b"]
        sweep(tmp_path)
        assert names(tmp_path) == ["done"]


def test_the_folder_of_a_live_writer_is_not_swept(tmp_path):
    with temporary_folder(tmp_path) as folder:
        assert sweep(tmp_path) == 0
        assert folder.is_dir()


@pytest.mark.parametrize("initial", ["nothing", "a folder without the mark"])
def test_many_writers_and_sweepers_at_once_leave_one_complete_folder(tmp_path, initial):
    # The timeout ends the other children if one of them died.
    start = multiprocessing.get_context("fork").Barrier(8, timeout=60)
    if initial == "a folder without the mark":
        half_done(tmp_path / "done")

    def work() -> None:
        start.wait()
        sweep(tmp_path)
        publish(tmp_path / "done", write, MARK)

    children = [fork(work) for _ in range(8)]
    assert [exit_code(child) for child in children] == [0] * 8
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["a", "b"]
