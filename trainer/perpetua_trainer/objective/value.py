"""Episodes of PPO: the values before the update, and the advantages and returns computed from them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from .. import parallel
from ..advantages import gae, whiten
from ..batch import Batch
from ..forward import Block, score
from ..model import Policy


@dataclass
class Episode:
    """Advantages, returns and values [G, C] of a block, in units of reward; 0 on tokens that are not learnt from."""

    advantages: Tensor
    returns: Tensor
    values: Tensor


def episodes_of(policy: Policy, batch: Batch, blocks: list[Block]) -> list[Episode]:
    """Episodes of the blocks. The steps of a rollout are its learnt tokens in order; the last one has the reward."""
    settings, head = batch.algorithm.ppo, policy.value_head
    episodes = []
    for block in blocks:
        with torch.no_grad():
            values = head.values(score(policy.model, block).hidden)
        episode = Episode(torch.zeros_like(values), torch.zeros_like(values), values * block.learnt)
        for place, row in enumerate(block.rows):
            learnt = block.learnt[place] > 0
            rewards = torch.zeros(int(learnt.sum()))
            if len(rewards) == 0:
                continue
            rewards[-1] = batch.rollouts[row].reward
            advantages, returns = gae(rewards, values[place][learnt].cpu(), settings.gamma, settings.lam)
            episode.advantages[place, learnt] = advantages.to(values.device)
            episode.returns[place, learnt] = returns.to(values.device)
        episodes.append(episode)
    if settings.whiten:
        whiten_all(episodes, blocks)
    return episodes


def whiten_all(episodes: list[Episode], blocks: list[Block]) -> None:
    """Whitens the advantages, in place, over the learnt tokens of the whole batch, of all processes."""
    masks = [block.learnt > 0 for block in blocks]
    mine = [episode.advantages[mask].cpu() for episode, mask in zip(episodes, masks, strict=True)]
    parts = parallel.gather(mine)
    flat = [advantages for part in parts for advantages in part]
    start = sum(len(advantages) for part in parts[: parallel.rank()] for advantages in part)
    whitened = whiten(torch.cat(flat))
    for episode, mask in zip(episodes, masks, strict=True):
        count = int(mask.sum())
        episode.advantages[mask] = whitened[start : start + count].to(mask.device)
        start += count
