"""Device, number type, threads and determinism: the one place that sets them."""

import os
from dataclasses import dataclass

# cuBLAS is deterministic only with this, read when CUDA starts.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
# The engine loads files that are named by their hash, never from a hub.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch


@dataclass(frozen=True)
class Runtime:
    """device: "cpu" or "cuda"; dtype of the frozen weights; threads for one process (two spin on a shared CPU)."""

    device: str = "cpu"
    dtype: torch.dtype = torch.float32
    threads: int = 1

    def set_up(self) -> None:
        if self.device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("expected a GPU that torch sees, found none: use --device cpu")
        torch.set_num_threads(self.threads)
        # Some CUDA kernels of attention have no deterministic form; a warning is all that can be had there.
        torch.use_deterministic_algorithms(True, warn_only=self.device == "cuda")
        torch.backends.cuda.matmul.allow_tf32 = False

    def versions(self) -> dict:
        """What has to be equal for two steps to give the same bytes."""
        import peft
        import transformers

        return {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "peft": peft.__version__,
            "threads": self.threads,
            "dtype": str(self.dtype).removeprefix("torch."),
            "device": torch.cuda.get_device_name() if self.device == "cuda" else "cpu",
        }
