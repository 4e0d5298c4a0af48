"""A step: makes a new checkpoint of a batch and a parent's checkpoint, once, also after kills.

Everything before `save` only reads. So a step that was killed can run again from its start, and gives the same bytes
with the same CPU, versions and threads.
"""

import time
from pathlib import Path

from . import parallel
from .batch import Batch
from .checkpoint import (
    from_disk,
    load_optimizers,
    load_progress,
    load_reference,
    load_teacher,
    load_weights,
    read_parent,
    save,
)
from .disk.publish import sweep
from .input.base import check_base
from .input.identity import check_same, sha256_of_batch
from .input.refusal import Refusal
from .model import Policy
from .objective.state import taught_tokens
from .optimizer import Optimizers
from .runtime import Runtime
from .update import update
from .weights.adapters import Adapters


def run_step(batch: Batch, out: Path, runtime: Runtime) -> dict:
    """Runs the step, or reads its result if it is done. Returns result.json's content. Raises Refusal."""
    if parallel.rank() == 0:
        sweep(out)
    done = from_disk(out, batch)
    if done is not None:
        return done
    began = time.perf_counter()
    policy, optimizers = load(batch, runtime)
    result, _ = finish(batch, out, (policy, optimizers), time.perf_counter() - began)
    return result


def load(batch: Batch, runtime: Runtime, shared: Adapters | None = None) -> tuple[Policy, Optimizers]:
    """Loads the policy and its optimisers from the parent's checkpoint, or new ones. Raises Refusal.

    shared: the batch's base, if it is loaded. Low-rank weights then need no copy of their own.
    """
    check_base(batch)
    check_teachers(batch)
    if batch.parent is not None:
        read_parent(batch.parent, batch.base.sha256)
    if batch.reference is not None and batch.reads_base:
        read_parent(batch.reference, batch.base.sha256, "reference")
    policy = Policy(Path(batch.base.path), batch.adapter, batch.seed, runtime, shared)
    ppo, sdpo = batch.algorithm.ppo, batch.algorithm.sdpo
    if ppo is not None:
        policy.add_value_head()
    parent = None if batch.parent is None else Path(batch.parent.path)
    if parent is not None:
        load_weights(policy, parent)
    if batch.reference is not None and batch.reads_base:
        load_reference(policy, Path(batch.reference.path))
    if batch.begins:
        parent = None
    if parent is not None:
        load_progress(policy, parent)
    if sdpo is not None and sdpo.teacher == "ema":
        load_teacher(policy, parent)
    optimizers = Optimizers(policy, batch.optimizer, None if ppo is None else ppo.value_lr)
    if parent is not None:
        load_optimizers(optimizers, parent)
    return policy, optimizers


def finish(batch: Batch, out: Path, state: tuple[Policy, Optimizers], load_seconds: float) -> tuple[dict, bool]:
    """Updates the loaded policy and publishes its checkpoint.

    Returns result.json's content, and whether this call published it. load_seconds: seconds that loading took.
    Raises Refusal, also if another process published the key with another batch.
    """
    policy, optimizers = state
    with policy.computing():
        metrics, seconds = update(policy, optimizers, batch)
    result = {
        "version": 1,
        "stepKey": batch.step_key,
        "batch": sha256_of_batch(batch),
        "base": batch.base.sha256,
        "parent": None if batch.parent is None else batch.parent.sha256,
        "algorithm": batch.algorithm.name,
        "step": policy.step,
        "metrics": metrics,
        "versions": policy.runtime.versions() | {"processes": parallel.size()},
        "seconds": {"load": load_seconds, **seconds},
        "skipped": skipped(batch),
    }
    saved = save(out, batch, state, result) if parallel.rank() == 0 else None
    result, first = parallel.from_first(saved)
    # Another process may have published this key first, with another batch.
    check_same(result, batch)
    return result, first


def check_teachers(batch: Batch) -> None:
    """Raises Refusal if the loss is distillation alone and no token has a teacher."""
    sdpo = batch.algorithm.sdpo
    if sdpo is not None and sdpo.weight == 1 and taught_tokens(batch) == 0:
        raise Refusal("no-teacher", "rollouts", "a learnt rollout with teacherPromptIds", "none")


def skipped(batch: Batch) -> list[dict]:
    """Ids of the rollouts that a part of the loss leaves out, with the reasons."""
    found = [{"id": one.id, "reason": "no token to learn from"} for one in batch.rollouts if not any(one.loss_mask)]
    if batch.algorithm.sdpo is not None:
        found += [{"id": one.id, "reason": "no teacher"} for one in batch.rollouts if one.teacher_prompt_ids is None]
    return found
