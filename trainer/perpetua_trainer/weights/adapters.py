"""Low-rank adapters on one copy of frozen weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from peft import LoraConfig, PeftModel
from torch import nn
from transformers import PreTrainedModel

# Name of the adapter that a step trains. The other names are hashes of checkpoints.
STEP = "step"


class Adapters:
    """Adapters of a model by name. At most one of them is active; without one the model is the base.

    A block of `using` computes alone: another thread that wants to compute, add or remove waits for its end. So neither
    the sampler nor the step can switch an adapter while the other computes. model: its frozen weights are shared by all
    adapters. peft: the model with its adapters; None if there are none. active: name; None for the base.
    """

    def __init__(self, model: PreTrainedModel):
        self.model = model
        self.peft: PeftModel | None = None
        self.active: str | None = None
        self.turn = RLock()

    def add(self, name: str, config: LoraConfig) -> None:
        """Adds an adapter with new weights. Raises ValueError if the model has none of its targets."""
        with self.turn:
            if self.peft is None:
                self.peft = PeftModel(self.model, config, adapter_name=name)
                self.active = name
            else:
                self.peft.add_adapter(name, config)
            self.peft.eval()

    def remove(self, name: str) -> None:
        """Removes an adapter if there is one of this name."""
        with self.turn:
            if self.peft is None or name not in self.peft.peft_config:
                return
            others = [other for other in self.peft.peft_config if other != name]
            if not others:
                self.peft.unload()
                self.peft, self.active = None, None
                return
            # PEFT always has one active adapter, which must not be the deleted one.
            self.activate(others[0])
            self.peft.delete_adapter(name)

    @contextmanager
    def using(self, name: str | None) -> Iterator[PreTrainedModel]:
        """Yields the model with this adapter inside the block, or the base; then restores the previous adapter."""
        with self.turn:
            before = self.active
            self.activate(name)
            try:
                yield self.model
            finally:
                self.activate(before)

    def activate(self, name: str | None) -> None:
        if name == self.active:
            return
        if name is None:
            self.peft.base_model.disable_adapter_layers()
        else:
            self.peft.set_adapter(name)
            self.peft.base_model.enable_adapter_layers()
        self.active = name

    def weights(self, name: str) -> dict[str, nn.Parameter]:
        """Weights of an adapter, sorted, by PEFT's names on disk, which leave out the name of the adapter."""
        part = f".{name}."
        named = self.peft.named_parameters()
        found = {key.replace(part, "."): weight for key, weight in named if ".lora_" in key and part in key}
        return dict(sorted(found.items()))
