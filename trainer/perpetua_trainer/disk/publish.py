"""A folder that is there wholly or not at all, whenever the process dies.

Files are written into `.tmp-<id>` beside the final name, then: fsync of each file and of the folder, rename, fsync of
the parent. A folder cannot be renamed over one that has files, so of two writers the first wins. A lock file beside the
temporary folder is held while its writer lives; what no process holds is a left-over and is swept.
"""

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = ".tmp-"
LOCK = ".lock"


def publish(final: Path, write: Callable[[Path], None], mark: str) -> bool:
    """Calls write(folder) and makes what it wrote appear as `final`. mark: the file that each whole folder has.

    Returns False where another process was first; `final` is then its work. A folder without the mark is nobody's work
    and gives way. Raises what write raises, leaves nothing.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(final.parent) as folder:
        write(folder)
        for path in folder.iterdir():
            fsync(path)
        fsync(folder)
        first = take_place(folder, final)
        while not first and not (final / mark).exists():
            set_aside(final, mark)
            first = take_place(folder, final)
        fsync(final.parent)
        return first


def take_place(folder: Path, final: Path) -> bool:
    """Whether the folder could be renamed to `final`, where no other lies."""
    try:
        os.rename(folder, final)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def set_aside(final: Path, mark: str) -> None:
    """Moves a folder without the mark to where a sweep takes it, and removes it there.

    The lock keeps a second process from taking the whole folder that the first one has put there meanwhile.
    """
    lock = final.with_name(f"{PREFIX}{final.name}{LOCK}")
    with lock_now(lock, create=True) as held:
        if not held:
            return
        try:
            shutil.rmtree(folder_of(lock), ignore_errors=True)
            # Another process can have moved it, and not yet have put its own there.
            if final.exists() and not (final / mark).exists():
                os.rename(final, folder_of(lock))
        finally:
            remove(lock)


def sweep(parent: Path) -> int:
    """Removes the temporary folders of dead writers; returns how many."""
    swept = 0
    for lock in parent.glob(f"{PREFIX}*{LOCK}"):
        with lock_now(lock, create=False) as held:
            if held:
                swept += remove(lock)
    return swept


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    while True:
        lock = parent / f"{PREFIX}{secrets.token_hex(8)}{LOCK}"
        with lock_now(lock, create=True) as held:
            # A sweeper can take the file in the moment before it is locked.
            if not held:
                continue
            try:
                folder = folder_of(lock)
                folder.mkdir()
                yield folder
            finally:
                remove(lock)
            return


@contextmanager
def lock_now(path: Path, create: bool) -> Iterator[bool]:
    """Whether the lock at path could be had at once; it is held inside the block."""
    try:
        fd = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield is_at(fd, path)
    finally:
        os.close(fd)


def is_at(fd: int, path: Path) -> bool:
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    return there.st_ino == os.fstat(fd).st_ino


def folder_of(lock: Path) -> Path:
    return lock.with_name(lock.name.removesuffix(LOCK))


def remove(lock: Path) -> bool:
    """Removes a temporary folder, then its lock; True where a folder was there."""
    folder = folder_of(lock)
    was = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    lock.unlink(missing_ok=True)
    return was


def fsync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
