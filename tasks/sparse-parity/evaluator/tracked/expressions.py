"""Expressions as closures: each takes the machine and returns an integer of 64 bits."""

import ast

from .rules import BINARY, COMPARE, UNARY, Fault, describe, literal_of, refuse


class Expressions:
    """Translates the expressions of one function. `slots`: its variables; `program`: all other names."""

    def __init__(self, program, slots):
        self.program, self.slots = program, slots

    def translate(self, node):
        """The closure of an expression, by a table of the allowed parts."""
        translate = TABLE.get(type(node))
        if translate is None:
            refuse(node, "expected an expression of the language, got %s" % describe(node))
        return translate(self, node)

    def constant(self, node):
        value = literal_of(node)
        return lambda machine: value

    def name(self, node):
        if node.id in self.slots:
            slot = self.slots[node.id]
            return lambda machine: machine.read(machine.base + slot)
        if node.id in self.program.constants:
            value = self.program.constants[node.id]
            return lambda machine: value
        return refuse(node, "expected a variable or a constant, got %r" % node.id)

    def cell(self, node):
        """A closure that returns the cell of array[index]."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self.program.arrays:
            refuse(node, "expected array[index], got an index of %s" % describe(node.value))
        # Python 3.8 wraps the index.
        part = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        index, line, name = self.translate(part), node.lineno, node.value.id
        start, size = self.program.arrays[name]

        def locate(machine):
            at = index(machine)
            if 0 <= at < size:
                return start + at
            raise Fault("line %d: expected an index of %s from 0 to %d, got %d" % (line, name, size - 1, at))

        return locate

    def subscript(self, node):
        locate = self.cell(node)
        return lambda machine: machine.read(locate(machine))

    def binary(self, node):
        if type(node.op) not in BINARY:
            refuse(node, "expected an operator of the language, got %s" % type(node.op).__name__)
        left, right = self.translate(node.left), self.translate(node.right)
        return operation(type(node.op), left, right, node.lineno)

    def unary(self, node):
        operand, apply, line = self.translate(node.operand), UNARY[type(node.op)], node.lineno
        return lambda machine: apply(operand(machine), line)

    def compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARE:
            refuse(node, "expected one comparison by ==, !=, <, <=, > or >=")
        left, right = self.translate(node.left), self.translate(node.comparators[0])
        apply = COMPARE[type(node.ops[0])]
        return lambda machine: apply(left(machine), right(machine))

    def logic(self, node):
        parts = [self.translate(value) for value in node.values]
        if isinstance(node.op, ast.And):
            return lambda machine: int(all(part(machine) for part in parts))
        return lambda machine: int(any(part(machine) for part in parts))

    def choice(self, node):
        test, then, other = (self.translate(part) for part in (node.test, node.body, node.orelse))
        return lambda machine: then(machine) if test(machine) else other(machine)

    def call(self, node):
        functions = self.program.functions
        if not isinstance(node.func, ast.Name) or node.func.id not in functions:
            refuse(node, "expected a call of a function of this program, got %s" % describe(node.func))
        function, line = functions[node.func.id], node.lineno
        if node.keywords or len(node.args) != len(function.parameters):
            refuse(node, "expected %d plain arguments for %s" % (len(function.parameters), function.name))
        values = [self.translate(value) for value in node.args]
        return lambda machine: machine.call(function, [value(machine) for value in values], line)


def operation(operator, left, right, line):
    """The closure of a binary operator. The frequent ones that cannot overflow have closures of their own."""
    if operator is ast.BitXor:
        return lambda machine: left(machine) ^ right(machine)
    if operator is ast.BitAnd:
        return lambda machine: left(machine) & right(machine)
    if operator is ast.BitOr:
        return lambda machine: left(machine) | right(machine)
    apply = BINARY[operator]
    return lambda machine: apply(left(machine), right(machine), line)


TABLE = {
    ast.Constant: Expressions.constant,
    ast.Name: Expressions.name,
    ast.Subscript: Expressions.subscript,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.Compare: Expressions.compare,
    ast.BoolOp: Expressions.logic,
    ast.IfExp: Expressions.choice,
    ast.Call: Expressions.call,
}
