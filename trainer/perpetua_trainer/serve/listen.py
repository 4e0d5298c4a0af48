"""A unix socket in a folder that only its owner enters; one living server a folder.

The lock is held while the server lives, so a socket whose lock is free is a dead server's and is taken over.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..disk.publish import lock_now

SOCKET = "policy.sock"
# Linux keeps 108 bytes of a socket's path, macOS 104, both with a zero at the end.
LONGEST = 103


@contextmanager
def own_socket(folder: Path) -> Iterator[Path]:
    """The path at which the server may bind, held inside the block and removed after it. Raises RuntimeError."""
    path = folder.absolute() / SOCKET
    if len(os.fsencode(path)) > LONGEST:
        raise RuntimeError(f"expected a socket's path of at most {LONGEST} bytes, got {path}: choose a shorter folder")
    make_private(folder)
    lock = path.with_suffix(".lock")
    with lock_now(lock, create=True) as held:
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
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077 or found.st_uid != os.geteuid():
        expected = f"expected a folder that only you enter (mode 700), found {folder} with mode {mode:o}"
        raise RuntimeError(f"{expected}: chmod 700 it, or name one that is not there yet")
