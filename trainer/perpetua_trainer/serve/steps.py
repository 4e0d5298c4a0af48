"""Steps by the server: the same bytes as `step --in`, with the last step's weights kept in memory for the next one.

What is kept is used only where its hash is the parent's and the batch learns the same weights; else the parent is
loaded.
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
from ..runtime import Runtime
from ..step import check_teachers, finish, load
from .engine import Engine


@dataclass
class Kept:
    """checkpoint: the hash of what the policy and its optimisers are. shape: what else has to be equal to go on."""

    checkpoint: str
    shape: tuple
    state: tuple[Policy, Optimizers]


class Steps:
    def __init__(self, engine: Engine, runtime: Runtime, out: Path):
        self.engine = engine
        self.runtime = runtime
        self.out = out
        self.kept: Kept | None = None
        self.at_work: dict[tuple[str, str, str], Future] = {}
        self.lock = Lock()

    def answer(self, body: bytes) -> dict:
        """result.json's content: from disk where the step is done, from the one at work where there is one.

        Raises Refusal, and what a step raises.
        """
        batch, out = read_step(body, self.out)
        key = (str(out.resolve()), batch.step_key, sha256_of_batch(batch))
        with self.lock:
            future = self.at_work.get(key)
            if future is None:
                done = from_disk(out, batch)
                if done is not None:
                    return done
                future = self.engine.call(lambda: self.work(batch, out))
                self.at_work[key] = future
        try:
            return future.result()
        finally:
            with self.lock:
                if self.at_work.get(key) is future:
                    del self.at_work[key]

    def work(self, batch: Batch, out: Path) -> dict:
        """In the engine's thread."""
        sweep(out)
        done = from_disk(out, batch)
        if done is not None:
            return done
        began = time.perf_counter()
        # Memory is forgotten first: a step that fails spoils it, and there is no room for two.
        kept, self.kept = self.kept, None
        if kept is None or not fits(kept, batch):
            del kept
            state = load(batch, self.runtime)
        else:
            state = go_on(kept.state[0], kept.state[1], batch)
        result, first = finish(batch, out, state, time.perf_counter() - began)
        # Another process can be first to publish; its result says nothing of what is in memory here.
        if first:
            self.kept = Kept(result["checkpoint"], shape_of(batch), state)
        return result


def read_step(body: bytes, out: Path) -> tuple[Batch, Path]:
    """The batch and the folder of its checkpoint: the body itself, or {"batch", "out"}, absolute paths of both."""
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
    ppo, sdpo = batch.algorithm.ppo, batch.algorithm.sdpo
    return (batch.base, batch.adapter, ppo is not None, sdpo is not None and sdpo.teacher == "ema")


def fits(kept: Kept, batch: Batch) -> bool:
    return batch.parent is not None and batch.parent.sha256 == kept.checkpoint and kept.shape == shape_of(batch)


def go_on(policy: Policy, before: Optimizers, batch: Batch) -> tuple[Policy, Optimizers]:
    """What `load` gives, without the disk: the batch's own settings, and the averages that the step before left."""
    check_base(batch)
    check_teachers(batch)
    ppo = batch.algorithm.ppo
    optimizers = Optimizers(policy, batch.optimizer, None if ppo is None else ppo.value_lr)
    optimizers.load(before.state())
    return policy, optimizers
