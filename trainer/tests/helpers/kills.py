"""Patches that kill the process at a point of a step."""

import os
from collections.abc import Callable

import torch

from helpers.processes import DieAt, die
from perpetua_trainer.disk import publish
from perpetua_trainer.optimizer import Optimizers


def kill_before_backward() -> None:
    torch.Tensor.backward = die


def kill_before_optimizer_step() -> None:
    Optimizers.step = die


def kill_in_optimizer_step() -> None:
    step = Optimizers.step
    Optimizers.step = lambda self: (step(self), die())


def kill_in_save(number: int) -> Callable[[], None]:
    """A save of an adapter, counted from 0: one torch.save, five files, the folder, the rename, the parent's folder."""

    def patch() -> None:
        deadly = DieAt(number)
        publish.fsync = deadly.wrap(publish.fsync)
        os.rename = deadly.wrap(os.rename)
        torch.save = deadly.wrap(torch.save)

    return patch
