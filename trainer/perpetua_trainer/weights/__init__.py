"""Weights that learn beside the frozen ones: adapters, and the value head of PPO."""
