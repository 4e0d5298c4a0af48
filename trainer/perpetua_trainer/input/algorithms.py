"""Settings of an update, read from batch.json. The batch has every number: no setting has a default here."""

from dataclasses import dataclass

from . import strict
from .strict import Node

COMMON = {"name", "epochs", "oldLogprobs", "isCap", "klCoefficient", "entropyCoefficient"}
CLIP = {"clipLow", "clipHigh", "dualClip"}
GRPO = {"scaleRewards", "stdFloor"} | CLIP


@dataclass(frozen=True)
class Clip:
    """Bounds of the probability ratio: [1 - low, 1 + high]; with a negative advantage, also at most `dual`."""

    low: float
    high: float
    dual: float | None


@dataclass(frozen=True)
class Grpo:
    """Settings of GRPO. scale_rewards: source of the standard deviation that divides the advantages."""

    scale_rewards: str  # group | batch | none
    std_floor: float  # added to the standard deviation, in units of reward
    clip: Clip


@dataclass(frozen=True)
class Ppo:
    """Settings of PPO with a value head."""

    clip: Clip
    gamma: float  # discount per token
    lam: float  # λ of GAE
    whiten: bool  # advantages with mean 0 and standard deviation 1 over the batch
    value_clip: float | None  # bound of a value's change, in standard deviations of the rewards
    value_coefficient: float  # factor of the value loss
    value_lr: float  # learning rate of the value head, in standard deviations of the rewards


@dataclass(frozen=True)
class Sdpo:
    """Settings of SDPO, alone or in a mixture with GRPO."""

    distillation: str  # sampled-token | top-k | full-logits
    top_k: int | None  # number of likeliest tokens compared one by one, only for top-k; all others count as one
    teacher: str  # base | ema
    ema_rate: float | None  # share of the trained weights that the teacher takes on in a step, only for ema
    ratio_cap: float | None  # upper bound of the ratio that weighs the losses; None: no ratio
    weight: float  # share of SDPO in the mixture, from 0 to 1; GRPO has the rest
    grpo: Grpo | None  # only if weight is below 1


@dataclass(frozen=True)
class Algorithm:
    """Settings that all algorithms share, and those of the chosen one; the others are None."""

    name: str
    epochs: int
    old_logprobs: str  # trainer | sampler: source of the ratio's denominator
    is_cap: float | None  # upper bound of the importance weights; None: no weights
    kl_coefficient: float
    entropy_coefficient: float
    grpo: Grpo | None = None
    ppo: Ppo | None = None
    sdpo: Sdpo | None = None


def read_algorithm(node: Node) -> Algorithm:
    """Reads `algorithm`. Raises Refusal."""
    readers = {"grpo": (GRPO, read_grpo), "ppo": (PPO, read_ppo), "sdpo": (SDPO, read_sdpo)}
    if type(node.value) is not dict or "name" not in node.value:
        raise node.refuse("missing-key", "an object with the key name")
    name = strict.choice(node.at("name"), tuple(readers))
    keys, read = readers[name]
    strict.record(node, COMMON | keys)
    old = strict.choice(node.at("oldLogprobs"), ("trainer", "sampler"))
    importance_cap = strict.optional(node.at("isCap"), lambda value: strict.number(value, 1e-6))
    if old == "sampler" and importance_cap is not None:
        expected = "null if oldLogprobs is sampler: the ratio then has the sampler's probabilities as its denominator"
        raise node.at("isCap").refuse("settings", expected)
    return Algorithm(
        name=name,
        epochs=strict.integer(node.at("epochs"), 1, 1000),
        old_logprobs=old,
        is_cap=importance_cap,
        kl_coefficient=strict.number(node.at("klCoefficient"), 0),
        entropy_coefficient=strict.number(node.at("entropyCoefficient"), 0),
        **{name: read(node)},
    )


def read_clip(node: Node) -> Clip:
    high = strict.number(node.at("clipHigh"), 0)
    dual = strict.optional(node.at("dualClip"), lambda value: strict.number(value, 1))
    if dual is not None and dual <= 1 + high:
        raise node.at("dualClip").refuse("settings", f"more than 1 + clipHigh = {1 + high:g}")
    return Clip(strict.number(node.at("clipLow"), 0, 1), high, dual)


def read_grpo(node: Node) -> Grpo:
    scale = strict.choice(node.at("scaleRewards"), ("group", "batch", "none"))
    return Grpo(scale, strict.number(node.at("stdFloor"), 1e-12), read_clip(node))


# The head's input is small: its entries sum up to 1.
LARGEST_VALUE_RATE = 1e3
PPO = CLIP | {"gamma", "lambda", "whitenAdvantages", "valueClip", "valueCoefficient", "valueLr"}


def read_ppo(node: Node) -> Ppo:
    return Ppo(
        clip=read_clip(node),
        gamma=strict.number(node.at("gamma"), 0, 1),
        lam=strict.number(node.at("lambda"), 0, 1),
        whiten=strict.boolean(node.at("whitenAdvantages")),
        value_clip=strict.optional(node.at("valueClip"), lambda value: strict.number(value, 1e-12)),
        value_coefficient=strict.number(node.at("valueCoefficient"), 0),
        value_lr=strict.number(node.at("valueLr"), 0, LARGEST_VALUE_RATE),
    )


SDPO = {"distillation", "topK", "teacher", "emaRate", "ratioCap", "distillationWeight", "grpo"}


def read_sdpo(node: Node) -> Sdpo:
    distillation = strict.choice(node.at("distillation"), ("sampled-token", "top-k", "full-logits"))
    top_k = strict.optional(node.at("topK"), lambda value: strict.integer(value, 1))
    require_only_if(node.at("topK"), distillation == "top-k", "distillation is top-k")
    teacher = strict.choice(node.at("teacher"), ("base", "ema"))
    ema_rate = strict.optional(node.at("emaRate"), lambda value: strict.number(value, 0, 1))
    require_only_if(node.at("emaRate"), teacher == "ema", "teacher is ema")
    weight = strict.number(node.at("distillationWeight"), 0, 1)
    grpo = strict.optional(node.at("grpo"), lambda value: read_grpo(strict.record(value, GRPO)))
    require_only_if(node.at("grpo"), weight < 1, "distillationWeight is below 1")
    ratio_cap = strict.optional(node.at("ratioCap"), lambda value: strict.number(value, 1e-6))
    return Sdpo(distillation, top_k, teacher, ema_rate, ratio_cap, weight, grpo)


def require_only_if(node: Node, is_used: bool, condition: str) -> None:
    """Raises Refusal for a setting that is missing although it is used, or given although it would be ignored.

    condition: the condition of use, in words.
    """
    if (node.value is not None) != is_used:
        raise node.refuse("settings", f"a value if {condition}, otherwise null")
