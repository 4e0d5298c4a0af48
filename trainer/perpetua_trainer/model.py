"""The policy: a base model, the weights that learn (a low-rank adapter or all), and a value head for PPO."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path

import torch
from peft import LoraConfig
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from .batch import Adapter
from .input.refusal import Refusal
from .runtime import Runtime
from .weights.adapters import STEP, Adapters
from .weights.value_head import ValueHead

disable_progress_bar()


class Policy:
    """A model that learns.

    model: computes logits. weights: parameters that learn, by their names in a checkpoint. step: number of updates.
    value_head: predicts rewards from hidden states; only for PPO, else None.
    teacher: weights of the EMA teacher, by the same names; only for SDPO with an EMA teacher, else None.
    reference: weights that take the place of the base, by the same names; None: those of the base itself.
    adapters: the model with its low-rank adapters; None if all weights learn.
    """

    def __init__(self, base: Path, adapter: Adapter, seed: int, runtime: Runtime, shared: Adapters | None = None):
        """Loads the base, and draws a new adapter by the seed. Raises Refusal if the adapter does not fit.

        shared: loaded base that low-rank weights use; None: the policy loads its own.
        """
        self.base = base
        self.adapter = adapter
        self.runtime = runtime
        self.step = 0
        self.value_head: ValueHead | None = None
        self.teacher: dict[str, Tensor] | None = None
        self.reference: dict[str, Tensor] | None = None
        self.adapters: Adapters | None = None
        if adapter.kind == "full" and runtime.dtype == torch.bfloat16:
            raise Refusal("settings", "adapter.kind", "lora: weights that learn need more than bfloat16", "full")
        if adapter.kind == "lora":
            self.adapters = shared or Adapters(load_base(base, runtime))
            self.model = self.adapters.model
            # The CPU draws the adapter, so that a seed gives the same weights on every device.
            torch.manual_seed(seed)
            add_adapter(self.adapters, adapter)
        else:
            self.model = load_base(base, runtime)
        self.model.to(runtime.device).eval()
        self.weights = self.adapters.weights(STEP) if self.adapters else trainable(self.model)

    def add_value_head(self) -> ValueHead:
        """Adds a head that has not learnt."""
        self.value_head = ValueHead(self.model.config.get_text_config().hidden_size).to(self.runtime.device)
        return self.value_head

    def computing(self) -> AbstractContextManager:
        """Block in which the model computes as this policy, and no other user of its frozen weights computes."""
        return nullcontext() if self.adapters is None else self.adapters.using(STEP)

    @contextmanager
    def as_base(self) -> Iterator[None]:
        """Makes the model the base, or the reference in its place, inside the block, without gradient."""
        with torch.no_grad():
            if self.reference is not None:
                with swapped(self.weights, self.reference):
                    yield
            elif self.adapters is not None:
                with self.adapters.using(None):
                    yield
            else:
                with swapped(self.weights, self.base_weights):
                    yield

    @contextmanager
    def as_teacher(self) -> Iterator[None]:
        """Makes the model the EMA teacher inside the block, without gradient."""
        with torch.no_grad(), swapped(self.weights, self.teacher):
            yield

    @cached_property
    def base_weights(self) -> dict[str, Tensor]:
        """Weights of a second copy of the base, for a policy whose weights all learn."""
        fresh = load_base(self.base, self.runtime).to(self.runtime.device)
        return {name: parameter.detach() for name, parameter in fresh.named_parameters()}


def load_base(folder: Path, runtime: Runtime) -> PreTrainedModel:
    """Loads a base model on the CPU, in the number type of the runtime."""
    return AutoModelForCausalLM.from_pretrained(
        folder, dtype=runtime.dtype, local_files_only=True, attn_implementation="sdpa"
    )


def add_adapter(adapters: Adapters, adapter: Adapter) -> None:
    """Adds the adapter of a step. Raises Refusal if the model lacks its targets."""
    try:
        adapters.add(STEP, lora_config(adapter))
    except ValueError as error:
        raise Refusal("settings", "adapter.targets", "names of the model's linear layers", str(error)) from error


def lora_config(adapter: Adapter) -> LoraConfig:
    return LoraConfig(
        r=adapter.rank,
        lora_alpha=adapter.alpha,
        target_modules=list(adapter.targets),
        lora_dropout=0.0,
        bias="none",
        task_type="CAUSAL_LM",
    )


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    """Parameters of a model whose weights all learn, sorted by name."""
    return dict(sorted((name, weight) for name, weight in model.named_parameters() if weight.requires_grad))


@contextmanager
def swapped(weights: dict[str, nn.Parameter], others: dict[str, Tensor]) -> Iterator[None]:
    """Makes the parameters hold the tensors of `others` inside the block. Both have the same names and shapes."""
    kept = {name: weight.data for name, weight in weights.items()}
    try:
        for name, weight in weights.items():
            weight.data = others[name]
        yield
    finally:
        for name, weight in weights.items():
            weight.data = kept[name]


def follow(teacher: dict[str, Tensor], weights: dict[str, nn.Parameter], rate: float) -> None:
    """Moves the EMA teacher towards the policy, in place: t ← (1 − rate) t + rate · w.

    Source: SDPO, arXiv:2601.20802, §2.3.
    """
    with torch.no_grad():
        for name, weight in weights.items():
            teacher[name].lerp_(weight.detach(), rate)
