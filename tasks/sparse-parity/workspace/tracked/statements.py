"""Statements as closures: each takes the machine and returns how the execution continues."""

import ast

from .expressions import Expressions, operation
from .rules import BINARY, describe, refuse

NEXT, BREAK, CONTINUE, RETURN = range(4)


def weight_of(*nodes):
    """Number of parts of expressions: what executing them once takes, at most."""
    return 1 + sum(1 for node in nodes for _ in ast.walk(node))


class Statements:
    """Translates the statements of one function."""

    def __init__(self, program, function):
        self.function, self.slots = function, function.slots
        self.expressions = Expressions(program, function.slots)
        self.loops = 0

    def block(self, nodes):
        """The closure of a list of statements."""
        steps = [self.translate(node) for node in nodes]
        if len(steps) == 1:
            return steps[0]

        def execute(machine):
            for step in steps:
                flow = step(machine)
                if flow:
                    return flow
            return NEXT

        return execute

    def translate(self, node):
        """The closure of a statement, by a table of the allowed parts."""
        translate = TABLE.get(type(node))
        if translate is None:
            refuse(node, "expected a statement of the language, got %s" % describe(node))
        return translate(self, node)

    def target(self, node):
        """A closure that returns the cell to write."""
        if isinstance(node, ast.Name) and node.id in self.slots:
            slot = self.slots[node.id]
            return lambda machine: machine.base + slot
        if isinstance(node, ast.Subscript):
            return self.expressions.cell(node)
        return refuse(node, "expected a variable or array[index] before =, got %s" % describe(node))

    def assign(self, node):
        if len(node.targets) != 1:
            refuse(node, "expected one target before =")
        locate, value = self.target(node.targets[0]), self.expressions.translate(node.value)
        weight, line = weight_of(node), node.lineno

        def execute(machine):
            machine.spend(weight, line)
            result = value(machine)
            machine.write(locate(machine), result)

        return execute

    def augment(self, node):
        if type(node.op) not in BINARY:
            refuse(node, "expected an operator of the language, got %s" % type(node.op).__name__)
        locate, value = self.target(node.target), self.expressions.translate(node.value)
        weight, line = weight_of(node), node.lineno
        pair = [0, 0]
        apply = operation(type(node.op), lambda machine: pair[0], lambda machine: pair[1], line)

        def execute(machine):
            machine.spend(weight, line)
            cell = locate(machine)
            before = machine.read(cell)
            after = value(machine)
            # Set last, since `value` may call this function again.
            pair[0], pair[1] = before, after
            machine.write(cell, apply(machine))

        return execute

    def choose(self, node):
        test, then = self.expressions.translate(node.test), self.block(node.body)
        other = self.block(node.orelse) if node.orelse else None
        weight, line = weight_of(node.test), node.lineno

        def execute(machine):
            machine.spend(weight, line)
            if test(machine):
                return then(machine)
            return other(machine) if other else NEXT

        return execute

    def body_of(self, node):
        if node.orelse:
            refuse(node, "expected a loop without else")
        self.loops += 1
        body = self.block(node.body)
        self.loops -= 1
        return body

    def repeat(self, node):
        test, body = self.expressions.translate(node.test), self.body_of(node)
        weight, line = weight_of(node.test), node.lineno

        def execute(machine):
            machine.spend(weight, line)
            while test(machine):
                flow = body(machine)
                if flow == BREAK:
                    break
                if flow == RETURN:
                    return RETURN
                machine.spend(weight, line)
            return NEXT

        return execute

    def count(self, node):
        call = node.iter
        is_range = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not is_range or call.keywords or not 1 <= len(call.args) <= 3 or not isinstance(node.target, ast.Name):
            refuse(node, "expected for name in range(…)")
        bounds = [self.expressions.translate(bound) for bound in call.args]
        locate, body, line = self.target(node.target), self.body_of(node), node.lineno
        first = weight_of(*call.args)

        def execute(machine):
            machine.spend(first, line)
            values = [bound(machine) for bound in bounds]
            if len(values) == 3 and values[2] == 0:
                refuse(node, "expected a step other than 0")
            for value in range(*values):
                machine.spend(2, line)
                machine.write(locate(machine), value)
                flow = body(machine)
                if flow == BREAK:
                    break
                if flow == RETURN:
                    return RETURN
            return NEXT

        return execute

    def give(self, node):
        value = self.expressions.translate(node.value) if node.value else lambda machine: 0
        weight, line = weight_of(node), node.lineno

        def execute(machine):
            machine.spend(weight, line)
            machine.result = value(machine)
            return RETURN

        return execute

    def evaluate(self, node):
        if not isinstance(node.value, ast.Call):
            refuse(node, "expected a statement of the language, got an expression: %s" % describe(node.value))
        value, weight, line = self.expressions.translate(node.value), weight_of(node), node.lineno

        def execute(machine):
            machine.spend(weight, line)
            value(machine)

        return execute

    def leave(self, node):
        if self.loops == 0:
            refuse(node, "expected break and continue inside a loop")
        return self.jump(node, BREAK if isinstance(node, ast.Break) else CONTINUE)

    def nothing(self, node):
        return self.jump(node, NEXT)

    def jump(self, node, flow):
        line = node.lineno

        def execute(machine):
            machine.spend(1, line)
            return flow

        return execute


TABLE = {
    ast.Assign: Statements.assign,
    ast.AugAssign: Statements.augment,
    ast.If: Statements.choose,
    ast.While: Statements.repeat,
    ast.For: Statements.count,
    ast.Return: Statements.give,
    ast.Expr: Statements.evaluate,
    ast.Break: Statements.leave,
    ast.Continue: Statements.leave,
    ast.Pass: Statements.nothing,
}
