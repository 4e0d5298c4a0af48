"""Readers of JSON values. Each raises Refusal, with the path of the value, for a value that it does not expect."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from .refusal import Refusal

T = TypeVar("T")
# Largest number of single precision, in which the trainer computes.
LARGEST = 3.4e38
HEX64 = re.compile(r"[0-9a-f]{64}")


class Node(NamedTuple):
    """A JSON value and its path, such as "rollouts[3].reward"; "" for the whole text."""

    value: Any
    path: str

    def at(self, step: str | int) -> "Node":
        """Value of a key, or item of an array."""
        suffix = f"[{step}]" if isinstance(step, int) else f".{step}" if self.path else step
        return Node(self.value[step], self.path + suffix)

    def refuse(self, code: str, expected: str, got: object = None) -> Refusal:
        """Refusal of this value, to be raised. got: default is the value itself."""
        return Refusal(code, self.path, expected, self.value if got is None else got)


def parse(text: str | bytes) -> Node:
    """Reads JSON text. NaN and Infinity pass, so that the reader of the number can name their path."""
    try:
        return Node(json.loads(text, object_pairs_hook=reject_duplicate_keys), "")
    except (ValueError, RecursionError) as error:
        raise Refusal("json", "", "JSON in UTF-8", str(error)) from error


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict:
    """Object of key and value pairs. Raises Refusal if a key occurs twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Refusal("duplicate-key", key, "each key once", f"{key} twice")
        found[key] = value
    return found


def record(node: Node, keys: set[str], may: frozenset[str] = frozenset()) -> Node:
    """Checks that a value is an object with all of these keys, and no others but those in `may`; returns its node."""
    if type(node.value) is not dict:
        raise node.refuse("type", f"an object with {', '.join(sorted(keys))}")
    for key in node.value:
        if key not in keys | may:
            raise node.at(key).refuse("unknown-key", f"one of {', '.join(sorted(keys | may))}", f"the key {key}")
    for key in sorted(keys):
        if key not in node.value:
            path = f"{node.path}.{key}" if node.path else key
            raise Refusal("missing-key", path, f"the key {key}", f"only {', '.join(sorted(node.value)) or 'nothing'}")
    return node


def number(node: Node, low: float = -math.inf, high: float = math.inf) -> float:
    """Reads a finite number in [low, high]."""
    if type(node.value) not in (int, float):
        raise node.refuse("type", "a number")
    if node.value != node.value or abs(node.value) == math.inf:
        raise node.refuse("nan", "a finite number", str(node.value))
    if abs(node.value) > LARGEST:
        raise node.refuse("range", f"a number of at most {LARGEST:g}", "a larger one")
    if not low <= node.value <= high:
        raise node.refuse("range", f"a number from {low:g} to {high:g}")
    return float(node.value)


def integer(node: Node, low: int, high: int = 2**53 - 1) -> int:
    """Reads an integer in [low, high]."""
    if type(node.value) is not int:
        raise node.refuse("type", "an integer")
    if not low <= node.value <= high:
        raise node.refuse("range", f"an integer from {low} to {high}")
    return node.value


def text(node: Node) -> str:
    if type(node.value) is not str:
        raise node.refuse("type", "a string")
    if node.value == "":
        raise node.refuse("empty", "a string that is not empty", "an empty one")
    return node.value


def boolean(node: Node) -> bool:
    if type(node.value) is not bool:
        raise node.refuse("type", "true or false")
    return node.value


def hex64(node: Node) -> str:
    if type(node.value) is not str or not HEX64.fullmatch(node.value):
        raise node.refuse("type", "64 hexadecimal digits in lower case")
    return node.value


def choice(node: Node, allowed: tuple[str, ...]) -> str:
    if node.value not in allowed or type(node.value) is not str:
        raise node.refuse("range", f"one of {', '.join(allowed)}")
    return node.value


def optional(node: Node, read: Callable[[Node], T]) -> T | None:
    return None if node.value is None else read(node)


def array(node: Node, read: Callable[[Node], T]) -> list[T]:
    """Reads an array with at least one item, each by `read`."""
    if type(node.value) is not list:
        raise node.refuse("type", "an array")
    if not node.value:
        raise node.refuse("empty", "at least one item", "none")
    return [read(node.at(index)) for index in range(len(node.value))]


def check_length(node: Node, length: int, counterpart: str) -> None:
    """Checks that an array has one item for each of the `length` items of its counterpart, named in words."""
    if len(node.value) != length:
        raise node.refuse("length", f"{length} items, one for each of {counterpart}", f"{len(node.value)} items")
