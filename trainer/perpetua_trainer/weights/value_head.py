"""Value head of PPO: a linear map of a normalised hidden state to a normalised reward."""

import torch
from torch import Tensor, nn

# Share of the earlier batches in the mean and the standard deviation of rewards, for each batch.
KEPT = 0.9


class ValueHead(nn.Module):
    """Predicts the reward of an episode from a hidden state.

    The head divides a state by the sum of its absolute values. A step of Adam moves each weight by at most about its
    learning rate lr, so that a value moves by at most lr standard deviations of the rewards, whatever the model and the
    scale of the rewards. The mean reward takes the place of a bias. weight [H]: 0 until the head has learnt. moments
    [3], in float64: sums over the batches of 1, the mean reward, and the mean squared reward; a batch counts KEPT times
    as much as the next one.
    """

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))
        self.register_buffer("moments", torch.zeros(3, dtype=torch.float64))

    def observe(self, rewards: Tensor) -> None:
        """Adds the rewards [B] of a batch to the moments."""
        rewards = rewards.to(self.moments)
        added = torch.stack([torch.ones_like(rewards), rewards, rewards**2]).mean(dim=1)
        self.moments.mul_(KEPT).add_(added)

    def mean_and_spread(self) -> tuple[Tensor, Tensor]:
        """Mean and standard deviation of the observed rewards; the latter is 1 if all rewards were equal."""
        count, total, squares = self.moments
        mean = total / count
        spread = (squares / count - mean**2).clamp(min=0).sqrt()
        # Rounding leaves a spread of 1e-8 of the mean at most.
        return mean, spread.where(spread > 1e-6 * mean.abs(), 1.0)

    def forward(self, hidden: Tensor) -> Tensor:
        """Normalised values [...] of hidden states [..., H]: standard deviations from the mean reward."""
        states = hidden.float()
        size = states.abs().sum(-1, keepdim=True).clamp(min=torch.finfo(states.dtype).tiny)
        return (states / size) @ self.weight

    def normalise(self, values: Tensor) -> Tensor:
        """Normalised values of values in units of reward, both [...]."""
        mean, spread = self.mean_and_spread()
        return (values - mean) / spread

    def values(self, hidden: Tensor) -> Tensor:
        """Values [...] in units of reward of hidden states [..., H]."""
        mean, spread = self.mean_and_spread()
        return mean + spread * self(hidden)
