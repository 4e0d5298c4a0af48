"""A Unix socket in a folder that only its owner can enter, with at most one live server in a folder.

The server holds a lock while it lives. A socket whose lock is free is that of a dead server, and is replaced.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..disk.publish import try_lock

SOCKET = "policy.sock"
# A socket's path has at most 108 bytes on Linux and 104 on macOS, including a zero at the end.
MAX_PATH_BYTES = 103


@contextmanager
def own_socket(folder: Path) -> Iterator[Path]:
    """Yields the path to bind. Holds the lock of the folder inside the block, and removes the socket after it.

    Raises RuntimeError if the path is too long, others can enter the folder, or a server lives there.
    """
    path = folder.absolute() / SOCKET
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        expected = f"expected a socket's path of at most {MAX_PATH_BYTES} bytes"
        raise RuntimeError(f"{expected}, got {path}: choose a shorter folder")
    make_private(folder)
    lock = path.with_suffix(".lock")
    with try_lock(lock, create=True) as held:
        if not held:
            owner = lock.read_text().strip() or "another one"
            raise RuntimeError(
                f"expected no server in {folder}, found process {owner}: end it or choose another folder"
            )
        lock.write_text(f"{os.getpid()}\n")
        path.unlink(missing_ok=True)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


def make_private(folder: Path) -> None:
    """Makes a folder with mode 700. Raises RuntimeError if it exists and others can enter it or own it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077 or found.st_uid != os.geteuid():
        expected = f"expected a folder that only you enter (mode 700), found {folder} with mode {mode:o}"
        raise RuntimeError(f"{expected}: chmod 700 it, or name one that is not there yet")
