"""Data-parallel processes, as torchrun starts them; without torchrun there is one.

Each process takes a share of the rollouts, and gradients are summed, not averaged: every loss is divided by the number
of tokens of the whole batch, so processes with short rollouts do not weigh more.
"""

import os
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


def rank() -> int:
    return dist.get_rank() if dist.is_initialized() else 0


def size() -> int:
    return dist.get_world_size() if dist.is_initialized() else 1


def start(device: str) -> None:
    """Joins the others where torchrun started several."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized():
        if device == "cuda":
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if device == "cuda" else "gloo")


def stop() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def share(rows: list[int]) -> list[int]:
    """The rows of this process: a run of neighbours, since neighbours share prompts."""
    count = size()
    return rows[len(rows) * rank() // count : len(rows) * (rank() + 1) // count]


def sum_gradients(parameters: list[nn.Parameter]) -> None:
    """Makes each gradient the sum over all processes; one that a process lacks counts as zeros."""
    for one in parameters:
        if one.grad is None:
            one.grad = torch.zeros_like(one)
        if size() > 1:
            dist.all_reduce(one.grad)


def sum_of(values: Tensor) -> Tensor:
    if size() > 1:
        dist.all_reduce(values)
    return values


def gather(value: Any) -> list[Any]:
    """Each process's value, in the order of ranks."""
    if size() == 1:
        return [value]
    found: list[Any] = [None] * size()
    dist.all_gather_object(found, value)
    return found


def from_first(value: Any) -> Any:
    """The value of the first process, for all."""
    if size() == 1:
        return value
    box = [value]
    dist.broadcast_object_list(box, src=0)
    return box[0]
