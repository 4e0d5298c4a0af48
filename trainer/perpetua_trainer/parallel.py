"""Data-parallel processes of torchrun. Without torchrun there is one process, and these functions change nothing.

Each process takes a share of the rollouts. Gradients are summed, not averaged: every loss is divided by the number of
tokens of the whole batch, so that processes with short rollouts do not weigh more.
"""

import os
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


def rank() -> int:
    """Number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def size() -> int:
    """Number of processes."""
    return dist.get_world_size() if dist.is_initialized() else 1


def start(device: str) -> None:
    """Joins the group of processes if torchrun started several. device: "cpu" or "cuda"."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized():
        if device == "cuda":
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if device == "cuda" else "gloo")


def stop() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def share(rows: list[int]) -> list[int]:
    """Rows of this process: consecutive ones, since neighbours often share a prompt."""
    count = size()
    return rows[len(rows) * rank() // count : len(rows) * (rank() + 1) // count]


def sum_gradients(parameters: list[nn.Parameter]) -> None:
    """Replaces each gradient by its sum over all processes. A missing gradient counts as zeros."""
    for parameter in parameters:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        if size() > 1:
            dist.all_reduce(parameter.grad)


def sum_of(values: Tensor) -> Tensor:
    """Sum over all processes, in place, of tensors with one shape."""
    if size() > 1:
        dist.all_reduce(values)
    return values


def gather(value: Any) -> list[Any]:
    """Values of all processes, in the order of their ranks."""
    if size() == 1:
        return [value]
    values: list[Any] = [None] * size()
    dist.all_gather_object(values, value)
    return values


def from_first(value: Any) -> Any:
    """Value of the first process, returned to every process."""
    if size() == 1:
        return value
    box = [value]
    dist.broadcast_object_list(box, src=0)
    return box[0]
