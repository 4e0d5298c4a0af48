"""Several processes in a group, as torchrun starts them, but faster."""

import os
import socket
from collections.abc import Callable

from helpers.processes import exit_code, fork
from perpetua_trainer import parallel


def together(work: Callable[[], None], count: int = 2) -> None:
    """Runs work in each of `count` processes that form a group. Fails if one of them does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def member(rank: int) -> None:
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count)}
        parallel.start("cpu")
        work()
        parallel.stop()

    codes = [exit_code(child) for child in [fork(lambda rank=rank: member(rank)) for rank in range(count)]]
    assert codes == [0] * count
