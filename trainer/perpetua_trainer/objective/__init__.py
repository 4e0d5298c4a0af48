"""Objective of an update: losses over blocks of rollouts, and the metrics of the update."""
