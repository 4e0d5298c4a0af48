"""An update step of a proposer's weights over a frozen batch: GRPO, PPO and SDPO, on a CPU or with CUDA."""
