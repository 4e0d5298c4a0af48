"""AdamW over the weights that learn, and another over the value head; their state lives in the checkpoint."""

import torch
from torch import Tensor, nn

from . import parallel
from .batch import Optimizer
from .model import Policy


class Optimizers:
    """policy: over policy.weights. value: over the value head, None where there is none."""

    def __init__(self, policy: Policy, settings: Optimizer, value_lr: float | None):
        self.weights = list(policy.weights.values())
        self.policy = adamw(self.weights, settings, settings.lr, settings.weight_decay)
        self.head = [] if policy.value_head is None else list(policy.value_head.parameters())
        self.value = adamw(self.head, settings, value_lr, 0.0) if self.head else None

    def zero(self) -> None:
        for one in self.weights + self.head:
            one.grad = None

    def clip(self, max_norm: float) -> float:
        """Sums gradients over the processes and bounds their norms, each head apart; the policy's norm before."""
        parallel.sum_gradients(self.weights + self.head)
        norm = float(nn.utils.clip_grad_norm_(self.weights, max_norm))
        if self.head:
            norm_of_head = float(nn.utils.clip_grad_norm_(self.head, max_norm))
            # A value head gone wrong spoils the next step's advantages.
            norm = norm if norm_of_head < float("inf") else norm_of_head
        return norm

    def step(self) -> None:
        self.policy.step()
        if self.value is not None:
            self.value.step()

    def state(self) -> dict[str, dict[int, dict[str, Tensor]]]:
        """Adam's averages by the place of the parameter; learning rates come with each batch."""
        state = {"policy": on_cpu(self.policy)}
        return state if self.value is None else state | {"value": on_cpu(self.value)}

    def load(self, state: dict[str, dict[int, dict[str, Tensor]]]) -> None:
        """Takes up what a parent left; a value head that is new starts without."""
        restore(self.policy, state["policy"])
        if self.value is not None and "value" in state:
            restore(self.value, state["value"])


def adamw(parameters: list[nn.Parameter], settings: Optimizer, lr: float, decay: float) -> torch.optim.AdamW:
    return torch.optim.AdamW(
        parameters, lr=lr, betas=settings.betas, eps=settings.eps, weight_decay=decay, foreach=False, fused=False
    )


def on_cpu(optimizer: torch.optim.Optimizer) -> dict[int, dict[str, Tensor]]:
    state = optimizer.state_dict()["state"]
    return {place: {name: one.cpu() for name, one in state[place].items()} for place in sorted(state)}


def restore(optimizer: torch.optim.Optimizer, state: dict[int, dict[str, Tensor]]) -> None:
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
