"""The server from its start to its end."""

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

# Answers are small, so it is only a client that does not read which takes longer.
LAST_WORDS_S = 5


@dataclass(frozen=True)
class Settings:
    """folder: of the socket. base: a model's. out: of the checkpoints. rows: samples that are computed together."""

    folder: Path
    base: Path
    out: Path
    rows: int


def serve(settings: Settings, runtime: Runtime) -> dict:
    """Serves until SIGTERM or SIGINT; a step at work is ended first. Prints `ready PATH` when it answers."""
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
            ending.wait()
            server.shutdown()
            listener.join()
            engine.stop()
            server.wait_until_answered(LAST_WORDS_S)
    return {"ended": str(path)}


def make_service(settings: Settings, runtime: Runtime) -> Service:
    folder = settings.base.absolute()
    base = Folder(str(folder), sha256_of_files(read_manifest(folder)))
    versions = Versions(base, runtime)
    tokens = Tokens(base, versions.base.config, versions.base.generation_config)
    together = Together(versions, tokens, settings.rows)
    return Service(base, together, Steps(together.engine, runtime, settings.out.absolute()))
