"""AdamW over the weights that learn, and another one over the value head. A checkpoint holds their state."""

import torch
from torch import Tensor, nn

from . import parallel
from .batch import Optimizer
from .model import Policy


class Optimizers:
    """policy: optimiser of policy.weights. value: optimiser of the value head; None without a value head."""

    def __init__(self, policy: Policy, settings: Optimizer, value_lr: float | None):
        self.weights = list(policy.weights.values())
        self.policy = adamw(self.weights, settings, settings.lr, settings.weight_decay)
        self.head = [] if policy.value_head is None else list(policy.value_head.parameters())
        self.value = adamw(self.head, settings, value_lr, 0.0) if self.head else None

    def zero(self) -> None:
        """Deletes all gradients."""
        for parameter in self.weights + self.head:
            parameter.grad = None

    def clip(self, max_norm: float) -> float:
        """Sums gradients over the processes, then clips the norms of the weights and of the value head to max_norm.

        Returns the norm of the weights' gradient before clipping, or that of the value head if it is not finite.
        """
        parallel.sum_gradients(self.weights + self.head)
        norm = float(nn.utils.clip_grad_norm_(self.weights, max_norm))
        if self.head:
            norm_of_head = float(nn.utils.clip_grad_norm_(self.head, max_norm))
            # A value head that is not finite would spoil the next step's advantages.
            norm = norm if norm_of_head < float("inf") else norm_of_head
        return norm

    def step(self) -> None:
        self.policy.step()
        if self.value is not None:
            self.value.step()

    def state(self) -> dict[str, dict[int, dict[str, Tensor]]]:
        """Adam's averages on the CPU, by the index of the parameter. Each batch has its own learning rates.

        In version 0.2 the averages of the value head were named `value`. They had other units, so they are not loaded.
        """
        state = {"policy": on_cpu(self.policy)}
        return state if self.value is None else state | {"valueHead": on_cpu(self.value)}

    def load(self, state: dict[str, dict[int, dict[str, Tensor]]]) -> None:
        """Loads the parent's averages. A value head that the parent does not have starts without averages."""
        restore(self.policy, state["policy"])
        if self.value is not None and "valueHead" in state:
            restore(self.value, state["valueHead"])


def adamw(parameters: list[nn.Parameter], settings: Optimizer, lr: float, decay: float) -> torch.optim.AdamW:
    """AdamW with a deterministic loop over the parameters. decay: weight decay, as a share of lr."""
    return torch.optim.AdamW(
        parameters, lr=lr, betas=settings.betas, eps=settings.eps, weight_decay=decay, foreach=False, fused=False
    )


def on_cpu(optimizer: torch.optim.Optimizer) -> dict[int, dict[str, Tensor]]:
    state = optimizer.state_dict()["state"]
    return {index: {name: tensor.cpu() for name, tensor in state[index].items()} for index in sorted(state)}


def restore(optimizer: torch.optim.Optimizer, state: dict[int, dict[str, Tensor]]) -> None:
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
