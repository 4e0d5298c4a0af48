"""The limits of a program, its mistakes, and the parser."""

import ast

LIMITS = {
    "bytes": 16_384,  # of the text
    "nesting": 40,  # of the syntax tree
    "cells": 4_096,  # of all arrays that the program declares
    "variables": 64,  # of a function, parameters included
    "depth": 32,  # of calls
    "steps": 8_000_000,  # parts of statements, in all problems together
    "moved": 150_000_000,  # positions that cells moved up, in all problems together
    "cost": 4_000_000,  # in all problems together
}
LEAST, MOST = -(2**63), 2**63 - 1


class Fault(Exception):
    """A mistake of the program, in words."""


def refuse(node, why):
    """Raises a Fault at the line of a node of the syntax tree."""
    raise Fault("line %d: %s" % (getattr(node, "lineno", 0), why))


def parse(text):
    """Returns the syntax tree of a text. No part of the text is executed."""
    if len(text.encode("utf-8", "surrogatepass")) > LIMITS["bytes"]:
        raise Fault("expected a program of at most %d bytes" % LIMITS["bytes"])
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Fault("line %s: %s" % (error.lineno, error.msg))
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Fault("expected a program that Python can parse: %s" % (str(error) or "it nests too deeply"))
    waiting = [(tree, tree, 0)]
    while waiting:
        node, statement, depth = waiting.pop()
        if depth > LIMITS["nesting"]:
            refuse(statement, "expected at most %d levels of nesting" % LIMITS["nesting"])
        for child in ast.iter_child_nodes(node):
            waiting.append((child, child if isinstance(child, ast.stmt) else statement, depth + 1))
    return tree


def within(value, line):
    """Returns the value if it has 64 bits."""
    if LEAST <= value <= MOST:
        return value
    raise Fault("line %d: expected integers of 64 bits with a sign, got a larger one" % line)


def divide(a, b, line):
    """a // b."""
    if b == 0:
        raise Fault("line %d: expected a divisor other than 0" % line)
    return within(a // b, line)


def remainder(a, b, line):
    """a % b."""
    if b == 0:
        raise Fault("line %d: expected a divisor other than 0" % line)
    return a % b


def shift_left(a, b, line):
    """a << b."""
    return within(a << bits(b, line), line)


def shift_right(a, b, line):
    """a >> b."""
    return a >> bits(b, line)


def bits(count, line):
    """Returns the number of bits of a shift if it is allowed."""
    if 0 <= count <= 63:
        return count
    raise Fault("line %d: expected a shift by 0 to 63 bits, got %d" % (line, count))


BINARY = {
    ast.Add: lambda a, b, line: within(a + b, line),
    ast.Sub: lambda a, b, line: within(a - b, line),
    ast.Mult: lambda a, b, line: within(a * b, line),
    ast.FloorDiv: divide,
    ast.Mod: remainder,
    ast.LShift: shift_left,
    ast.RShift: shift_right,
    ast.BitAnd: lambda a, b, line: a & b,
    ast.BitOr: lambda a, b, line: a | b,
    ast.BitXor: lambda a, b, line: a ^ b,
}
UNARY = {
    ast.USub: lambda a, line: within(-a, line),
    ast.UAdd: lambda a, line: a,
    ast.Invert: lambda a, line: ~a,
    ast.Not: lambda a, line: int(a == 0),
}
COMPARE = {
    ast.Eq: lambda a, b: int(a == b),
    ast.NotEq: lambda a, b: int(a != b),
    ast.Lt: lambda a, b: int(a < b),
    ast.LtE: lambda a, b: int(a <= b),
    ast.Gt: lambda a, b: int(a > b),
    ast.GtE: lambda a, b: int(a >= b),
}


def literal_of(node):
    """The value of an integer literal. True, texts and fractions are no integers."""
    if type(node.value) is not int:
        refuse(node, "expected an integer, got %s" % type(node.value).__name__)
    return within(node.value, node.lineno)


def constant_of(node, constants):
    """The value of an expression of literals and constants."""
    if isinstance(node, ast.Constant):
        return literal_of(node)
    if isinstance(node, ast.Name) and node.id in constants:
        return constants[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in UNARY:
        return UNARY[type(node.op)](constant_of(node.operand, constants), node.lineno)
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        left, right = constant_of(node.left, constants), constant_of(node.right, constants)
        return BINARY[type(node.op)](left, right, node.lineno)
    return refuse(node, "expected a constant of literals and earlier constants, got %s" % describe(node))


def describe(node):
    """Name of a part of the syntax, for messages."""
    if isinstance(node, ast.Name):
        return repr(node.id)
    return type(getattr(node, "op", node)).__name__
