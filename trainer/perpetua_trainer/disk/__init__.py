"""Hashes, and folders that are there wholly or not at all."""
