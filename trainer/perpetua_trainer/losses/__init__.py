"""The losses, each a pure function of tensors."""
