"""The language of solve.py, and its memory. The evaluator has the same files. README.md describes the language."""
