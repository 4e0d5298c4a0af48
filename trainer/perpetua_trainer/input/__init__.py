"""Strict reading of what comes in."""
