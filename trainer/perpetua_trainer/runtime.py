"""Device, number type, threads and determinism. No other module sets them."""

import os
from dataclasses import dataclass

# cuBLAS is deterministic only with this setting, and reads it when CUDA starts.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
# The trainer loads only folders whose hash it knows, never files of a hub.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch


@dataclass(frozen=True)
class Runtime:
    """Settings of the computation.

    device: "cpu" or "cuda". dtype: number type of the frozen weights. threads: threads of torch in this process; two
    threads spin against each other on a shared CPU.
    """

    device: str = "cpu"
    dtype: torch.dtype = torch.float32
    threads: int = 1

    def set_up(self) -> None:
        """Applies the settings to torch, in the calling thread. Raises RuntimeError if there is no GPU for "cuda"."""
        if self.device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("expected a GPU that torch sees, found none: use --device cpu")
        torch.set_num_threads(self.threads)
        # Some CUDA kernels of attention have no deterministic form, so torch may only warn about them.
        torch.use_deterministic_algorithms(True, warn_only=self.device == "cuda")
        torch.backends.cuda.matmul.allow_tf32 = False

    def versions(self) -> dict:
        """Versions and settings that have to be equal for two steps to give the same bytes."""
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
