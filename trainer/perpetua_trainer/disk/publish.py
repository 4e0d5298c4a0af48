"""A folder that exists completely or not at all, whenever the process dies.

Files are written into `.tmp-<id>` beside the final name. Then follow fsync of each file and of the folder, rename, and
fsync of the parent. A folder cannot be renamed to the name of one that has files, so the first of two writers wins. The
writer holds a lock file beside the temporary folder. A temporary folder whose lock is free is a leftover, which a sweep
removes.
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
    """Calls write(folder), then renames the folder to `final`. mark: name of a file that each complete folder has.

    Returns False if another process was first: `final` is then its folder. A folder without the mark is replaced.
    Raises the errors of write, and leaves nothing then.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(final.parent) as folder:
        write(folder)
        for path in folder.iterdir():
            fsync(path)
        fsync(folder)
        first = try_rename(folder, final)
        while not first and not (final / mark).exists():
            set_aside(final, mark)
            first = try_rename(folder, final)
        fsync(final.parent)
        return first


def try_rename(folder: Path, final: Path) -> bool:
    """Renames the folder to `final`; returns False if a folder with files has that name."""
    try:
        os.rename(folder, final)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def set_aside(final: Path, mark: str) -> None:
    """Moves a folder without the mark to a temporary name, which a sweep also removes, and removes it.

    The lock keeps a second process from moving the complete folder that the first one has published meanwhile.
    """
    lock = final.with_name(f"{PREFIX}{final.name}{LOCK}")
    with try_lock(lock, create=True) as held:
        if not held:
            return
        try:
            shutil.rmtree(folder_of(lock), ignore_errors=True)
            # Another process may have moved the folder, and not yet published its own.
            if final.exists() and not (final / mark).exists():
                os.rename(final, folder_of(lock))
        finally:
            remove(lock)


def sweep(parent: Path) -> int:
    """Removes the temporary folders of dead writers; returns their number."""
    swept = 0
    for lock in parent.glob(f"{PREFIX}*{LOCK}"):
        with try_lock(lock, create=False) as held:
            if held:
                swept += remove(lock)
    return swept


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """Makes a new temporary folder for the block, with its lock held, and removes it afterwards."""
    while True:
        lock = parent / f"{PREFIX}{secrets.token_hex(8)}{LOCK}"
        with try_lock(lock, create=True) as held:
            # A sweep can remove the lock file in the moment before it is locked.
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
def try_lock(path: Path, create: bool) -> Iterator[bool]:
    """Tries to lock a file without waiting. Yields True if the lock is held inside the block, else False.

    create: make the file if it does not exist.
    """
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
        yield is_file_at(fd, path)
    finally:
        os.close(fd)


def is_file_at(fd: int, path: Path) -> bool:
    """Returns True if the open file is the one at path, and not one that was removed or replaced."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    return found.st_ino == os.fstat(fd).st_ino


def folder_of(lock: Path) -> Path:
    """Temporary folder of a lock file."""
    return lock.with_name(lock.name.removesuffix(LOCK))


def remove(lock: Path) -> bool:
    """Removes a temporary folder, then its lock; returns True if there was a folder."""
    folder = folder_of(lock)
    existed = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    lock.unlink(missing_ok=True)
    return existed


def fsync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
