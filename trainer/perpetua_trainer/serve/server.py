"""Start and end of the policy server."""

import signal
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from ..batch import Folder
from ..disk.digest import read_manifest, sha256_of_files
from ..runtime import Runtime
from .http import Server
from .listen import own_socket
from .routes import Service
from .steps import Steps
from .together import Together
from .tokens import Tokens
from .versions import Versions

# Answers are small: only a client that does not read needs more time for its last answer.
LAST_ANSWERS_S = 5


@dataclass(frozen=True)
class Settings:
    """Settings of a server.

    folder: folder of the socket. base: folder of the base model. out: folder of the checkpoints. rows: largest number
    of samples that are computed together. idle: seconds without a request after which the server ends; None for never.
    """

    folder: Path
    base: Path
    out: Path
    rows: int
    idle: float | None = None


def serve(settings: Settings, runtime: Runtime) -> dict:
    """Serves until SIGTERM, SIGINT or the end of the idle time. A running step finishes first.

    Prints `ready PATH` when it accepts requests. Returns {"ended": PATH}. Raises RuntimeError if the folder cannot be
    used, Refusal if the base does not fit its manifest.
    """
    ending = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    with own_socket(settings.folder) as path:
        service = make_service(settings, runtime)
        engine = service.together.engine
        engine.start(runtime.set_up)
        with Server(path, service) as server:
            listener = Thread(target=server.serve_forever, name="listener")
            listener.start()
            print(f"ready {path}", flush=True)
            wait_for_end(ending, server, settings.idle)
            server.shutdown()
            listener.join()
            engine.stop()
            server.wait_until_answered(LAST_ANSWERS_S)
    return {"ended": str(path)}


def wait_for_end(ending: Event, server: Server, idle: float | None) -> None:
    """Returns after a signal, or after `idle` seconds without a request and without a running one."""
    if idle is None:
        ending.wait()
        return
    while (seconds := server.idle_left(idle)) > 0 and not ending.wait(seconds):
        pass


def make_service(settings: Settings, runtime: Runtime) -> Service:
    """Loads the base and its tokenizer. Raises Refusal if a file does not fit the manifest."""
    folder = settings.base.absolute()
    base = Folder(str(folder), sha256_of_files(read_manifest(folder)))
    versions = Versions(base, runtime)
    tokens = Tokens(base, versions.adapters.model.config, versions.adapters.model.generation_config)
    together = Together(versions, tokens, settings.rows)
    return Service(base, together, Steps(together.engine, versions, settings.out.absolute()))
