"""Strict readers of input."""
