"""A folder appears wholly or not at all."""

import os
import time
from pathlib import Path

import pytest

from helpers.processes import DieAt, ended, fork
from perpetua_trainer.disk import publish as module
from perpetua_trainer.disk.publish import publish, sweep, temporary_folder


def write(folder: Path) -> None:
    (folder / "a").write_text("one")
    (folder / "b").write_text("two")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_appears_at_once_and_leaves_nothing_beside(tmp_path):
    assert publish(tmp_path / "done", write)
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["a", "b"]


def test_the_first_of_two_wins_and_stays_as_it_was(tmp_path):
    assert publish(tmp_path / "done", lambda folder: (folder / "a").write_text("first"))
    assert not publish(tmp_path / "done", lambda folder: (folder / "a").write_text("second"))
    assert (tmp_path / "done" / "a").read_text() == "first"
    assert names(tmp_path) == ["done"]


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    def fail(folder: Path) -> None:
        write(folder)
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        publish(tmp_path / "done", fail)
    assert names(tmp_path) == []


# Five files and folders are made durable and one is renamed: killed before each, and never.
@pytest.mark.parametrize("point", range(6))
def test_killed_at_any_call_nothing_half_done_appears_and_the_next_one_sweeps(tmp_path, monkeypatch, point):
    def work() -> None:
        deadly = DieAt(point)
        module.fsync = deadly.wrap(module.fsync)
        os.rename = deadly.wrap(os.rename)
        publish(tmp_path / "done", write)

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


def test_many_writers_and_sweepers_at_once_leave_one_whole_folder(tmp_path):
    start = time.time() + 0.2

    def work() -> None:
        time.sleep(max(0, start - time.time()))
        sweep(tmp_path)
        publish(tmp_path / "done", write)

    children = [fork(work) for _ in range(8)]
    assert [ended(child) for child in children] == [0] * 8
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["a", "b"]
