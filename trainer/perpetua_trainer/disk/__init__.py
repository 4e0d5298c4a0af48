"""Hashes, and folders that exist completely or not at all."""
