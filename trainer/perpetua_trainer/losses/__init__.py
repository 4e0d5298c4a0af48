"""Losses, each a pure function of tensors."""
