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
    """Patch that kills before a call of a save of an adapter. number: index of the call, from 0.

    The calls are one torch.save, then fsync of five files and of the folder, the rename, and fsync of the parent.
    """

    def patch() -> None:
        deadly = DieAt(number)
        publish.fsync = deadly.wrap(publish.fsync)
        os.rename = deadly.wrap(os.rename)
        torch.save = deadly.wrap(torch.save)

    return patch
