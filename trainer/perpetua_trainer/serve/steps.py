"""Steps of the server. They have the same bytes as those of `step --in`, and keep their weights for the next step.

The next step uses the kept weights only if their hash is the parent's and the batch trains the same weights. Otherwise
it loads the parent.
"""

import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from ..batch import Batch, read_batch
from ..checkpoint import from_disk
from ..disk.publish import sweep
from ..input import strict
from ..input.base import check_base
from ..input.identity import sha256_of_batch
from ..model import Policy
from ..optimizer import Optimizers
from ..step import check_teachers, finish, load
from ..weights.adapters import STEP, Adapters
from .engine import Engine
from .versions import Versions


@dataclass
class Kept:
    """State after a step, kept in memory.

    checkpoint: hash of the checkpoint with this state. shape: see shape_of.
    """

    checkpoint: str
    shape: tuple
    state: tuple[Policy, Optimizers]


class Steps:
    """Steps of a server.

    versions: the sampler's; low-rank weights share its frozen base. out: default folder of the checkpoints. running:
    steps by folder, key and batch's hash.
    """

    def __init__(self, engine: Engine, versions: Versions, out: Path):
        self.engine = engine
        self.versions = versions
        self.runtime = versions.runtime
        self.out = out
        self.kept: Kept | None = None
        self.running: dict[tuple[str, str, str], Future] = {}
        self.lock = Lock()

    def answer(self, body: bytes) -> dict:
        """Returns result.json's content: from disk if the step is done, else from the running step or a new one.

        Raises Refusal, and any exception of the step.
        """
        batch, out = read_step(body, self.out)
        key = (str(out.resolve()), batch.step_key, sha256_of_batch(batch))
        with self.lock:
            future = self.running.get(key)
            if future is None:
                done = from_disk(out, batch)
                if done is not None:
                    return done
                future = self.engine.call(lambda: self.work(batch, out))
                self.running[key] = future
        try:
            return future.result()
        finally:
            with self.lock:
                if self.running.get(key) is future:
                    del self.running[key]

    def work(self, batch: Batch, out: Path) -> dict:
        """Runs a step, in the engine's thread; returns result.json's content."""
        sweep(out)
        done = from_disk(out, batch)
        if done is not None:
            return done
        began = time.perf_counter()
        # The kept state is forgotten first: a step that fails spoils it, and memory has no room for two states.
        kept, self.kept = self.kept, None
        try:
            if kept is None or not fits(kept, batch):
                del kept
                self.versions.adapters.remove(STEP)
                state = load(batch, self.runtime, self.shared(batch))
            else:
                state = reuse(kept.state[0], kept.state[1], batch)
            result, first = finish(batch, out, state, time.perf_counter() - began)
        except Exception:
            self.versions.adapters.remove(STEP)
            raise
        # If another process published first, its result does not describe the state in memory.
        if first:
            self.kept = Kept(result["checkpoint"], shape_of(batch), state)
        return result

    def shared(self, batch: Batch) -> Adapters | None:
        """The sampler's base, if the batch has the same one; else None."""
        return self.versions.adapters if batch.base.sha256 == self.versions.folder.sha256 else None


def read_step(body: bytes, out: Path) -> tuple[Batch, Path]:
    """Returns the batch and the folder for its checkpoint.

    body: a batch, whose folder is `out`, or {"batch", "out"} with the absolute paths of a file and a folder. Raises
    Refusal.
    """
    root = strict.parse(body)
    if type(root.value) is not dict or "batch" not in root.value:
        return read_batch(body), out
    strict.record(root, {"batch", "out"})
    paths = [Path(strict.text(root.at(key))) for key in ("batch", "out")]
    for key, path in zip(("batch", "out"), paths, strict=True):
        if not path.is_absolute():
            raise root.at(key).refuse("range", "an absolute path")
    if not paths[0].is_file():
        raise root.at("batch").refuse("empty", "a file", "none there")
    return read_batch(paths[0].read_bytes()), paths[1]


def shape_of(batch: Batch) -> tuple:
    """Settings that have to be equal for a step to use the state of another.

    Base, reference and its use, adapter, value head, EMA teacher.
    """
    ppo, sdpo = batch.algorithm.ppo, batch.algorithm.sdpo
    began = batch.reference if batch.reads_base else None
    return (batch.base, began, batch.adapter, ppo is not None, sdpo is not None and sdpo.teacher == "ema")


def fits(kept: Kept, batch: Batch) -> bool:
    """Returns True if the step can start from the kept state instead of its parent's checkpoint."""
    if batch.parent is None or batch.begins:
        return False
    return batch.parent.sha256 == kept.checkpoint and kept.shape == shape_of(batch)


def reuse(policy: Policy, before: Optimizers, batch: Batch) -> tuple[Policy, Optimizers]:
    """Returns the same state as `load`, from memory: settings of the batch, and averages of the previous optimisers.

    Raises Refusal.
    """
    check_base(batch)
    check_teachers(batch)
    ppo = batch.algorithm.ppo
    optimizers = Optimizers(policy, batch.optimizer, None if ppo is None else ppo.value_lr)
    optimizers.load(before.state())
    return policy, optimizers
