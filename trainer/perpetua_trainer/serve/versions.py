"""Policy versions by name: the base, and the loaded checkpoints."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from peft import set_peft_model_state_dict
from safetensors.torch import load_file
from transformers import PreTrainedModel

from ..batch import Folder
from ..checkpoint import ADAPTER_CONFIG, copy_into, read_adapter_config, read_parent, weights_name
from ..model import load_base, trainable
from ..runtime import Runtime
from ..weights.adapters import Adapters
from .problem import Problem

BASE = "base"


@dataclass(frozen=True)
class Version:
    """A policy version.

    id: "base" or the checkpoint's hash, as policyVersion of a rollout. kind: "base", "lora" or "full".
    """

    id: str
    kind: str


class Versions:
    """Loaded versions. Low-rank versions, and a step of low-rank weights, share the base's weights. A version of all
    weights has its own model.

    Only the engine's thread loads, drops and uses versions. All threads read the names.
    """

    def __init__(self, folder: Folder, runtime: Runtime):
        self.folder = folder
        self.runtime = runtime
        self.adapters = Adapters(self.fresh())
        self.full: dict[str, PreTrainedModel] = {}
        self.names = {BASE: Version(BASE, BASE)}

    def fresh(self) -> PreTrainedModel:
        """Loads a new copy of the base, on the device."""
        return load_base(Path(self.folder.path), self.runtime).to(self.runtime.device).eval()

    def find(self, name: str) -> Version:
        """Returns the version of a name. Raises Problem 404, which lists the known names."""
        found = self.names.get(name)
        if found is None:
            known = ", ".join(sorted(self.names))
            raise Problem(404, "model_not_found", f"expected one of {known}, got {name}: POST /v1/adapters loads one")
        return found

    def load(self, checkpoint: Folder) -> Version:
        """Loads a checkpoint, whose bytes are verified, under its hash and its folder's name.

        Raises Refusal if the checkpoint is invalid, Problem 409 if its folder's name belongs to another version.
        """
        folder = Path(checkpoint.path)
        alias = folder.name
        known = self.names.get(alias)
        if known is not None and known.id != checkpoint.sha256:
            raise Problem(409, "name_taken", f"expected a new name, got {alias}, which is {known.id}: drop that first")
        read_parent(checkpoint, self.folder.sha256)
        version = self.names.get(checkpoint.sha256) or self.add(folder, checkpoint.sha256)
        self.names = {**self.names, version.id: version, alias: version}
        return version

    def add(self, folder: Path, sha256: str) -> Version:
        """Loads the weights of a verified checkpoint; returns its version, still without names."""
        if (folder / weights_name("full")).exists():
            model = self.fresh()
            copy_into(trainable(model), load_file(folder / weights_name("full")))
            self.full[sha256] = model
            return Version(sha256, "full")
        config = read_adapter_config(folder)
        self.adapters.add(sha256, config)
        weights = load_file(folder / weights_name("lora"))
        odd = set_peft_model_state_dict(self.adapters.peft, weights, adapter_name=sha256)
        if odd.unexpected_keys:
            raise RuntimeError(f"expected the weights of {ADAPTER_CONFIG}, got {odd.unexpected_keys[:3]} too")
        return Version(sha256, "lora")

    def drop(self, name: str) -> Version:
        """Unloads a version and removes all its names; returns it. Raises Problem for the base and an unknown name."""
        version = self.find(name)
        if version.kind == BASE:
            raise Problem(400, "base", "expected a loaded checkpoint, got the base, which stays")
        self.names = {alias: other for alias, other in self.names.items() if other != version}
        if version.kind == "full":
            del self.full[version.id]
        else:
            self.adapters.remove(version.id)
        return version

    @contextmanager
    def using(self, version: Version) -> Iterator[PreTrainedModel]:
        """Yields a model that computes as this version inside the block."""
        if version.kind == "full":
            yield self.full[version.id]
        else:
            with self.adapters.using(version.id if version.kind == "lora" else None) as model:
                yield model
