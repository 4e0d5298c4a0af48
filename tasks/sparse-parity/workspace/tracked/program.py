"""A program of the language, and the machine that executes it.

Python's own objects, names and functions are out of its reach: a value is an integer of 64 bits, and a name means a
cell, an array, a constant or a function of the program itself.
"""

import ast

from .memory import Memory
from .rules import LIMITS, Fault, constant_of, parse, refuse
from .statements import RETURN, Statements

RESERVED = ("array", "range")


class Function:
    """A function. Its parameters and variables are the first cells of its frame."""

    def __init__(self, node):
        arguments = node.args
        others = arguments.kwonlyargs + arguments.defaults + arguments.kw_defaults + arguments.posonlyargs
        extra = [arguments.vararg, arguments.kwarg, node.returns, *others, *node.decorator_list]
        extra += [argument.annotation for argument in arguments.args] + getattr(node, "type_params", [])
        if any(extra):
            refuse(node, "expected def name(a, b): with plain parameters and nothing else")
        self.node, self.name, self.body = node, node.name, None
        self.parameters = [argument.arg for argument in arguments.args]
        if len(set(self.parameters)) < len(self.parameters):
            refuse(node, "expected parameters with different names")
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        assigned = [name.id for name in names if not isinstance(name.ctx, ast.Load)]
        self.slots = {}
        for name in self.parameters + assigned:
            self.slots.setdefault(name, len(self.slots))
        if len(self.slots) > LIMITS["variables"]:
            refuse(node, "expected at most %d variables in a function" % LIMITS["variables"])


class Program:
    """A checked program. `constants` and `inputs` (names and sizes of arrays) are given to it."""

    def __init__(self, text, constants, inputs):
        self.constants, self.arrays, self.functions = dict(constants), {}, {}
        self.taken = {*constants, *RESERVED}
        self.end = 0
        for name, size in inputs:
            self.take(None, name)
            self.add_array(name, size)
        free = self.end
        for node in parse(text).body:
            self.declare(node)
        if self.end - free > LIMITS["cells"]:
            raise Fault("expected arrays of at most %d cells together, got %d" % (LIMITS["cells"], self.end - free))
        if "solve" not in self.functions or self.functions["solve"].parameters:
            raise Fault("expected a function def solve(): without parameters")
        self.frame = max(len(function.slots) for function in self.functions.values())
        for function in self.functions.values():
            for name in function.slots:
                if name in self.taken:
                    refuse(function.node, "expected another name than %r for a variable: it is taken" % name)
            function.body = Statements(self, function).block(function.node.body)

    def take(self, node, name):
        if name in self.taken:
            refuse(node, "expected another name than %r: it is taken" % name)
        self.taken.add(name)

    def add_array(self, name, size):
        self.arrays[name] = (self.end, size)
        self.end += size

    def declare(self, node):
        """Adds a function, an array or a constant of the top level."""
        if isinstance(node, ast.FunctionDef):
            self.take(node, node.name)
            self.functions[node.name] = Function(node)
            return
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not isinstance(target, ast.Name):
            refuse(node, "expected NAME = constant, name = array(size) or def name(): at the top level")
        self.take(node, target.id)
        value = node.value
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "array"):
            self.constants[target.id] = constant_of(value, self.constants)
            return
        if len(value.args) != 1 or value.keywords:
            refuse(node, "expected array(size)")
        size = constant_of(value.args[0], self.constants)
        if not 1 <= size <= LIMITS["cells"]:
            refuse(node, "expected an array of 1 to %d cells, got %d" % (LIMITS["cells"], size))
        self.add_array(target.id, size)

    def run(self, inputs, budget):
        """Executes `solve` on fresh memory. Returns its answer and the memory, and reduces the budget."""
        memory = Memory(inputs, self.end + LIMITS["depth"] * self.frame)
        machine = Machine(memory, self, budget)
        try:
            answer = machine.call(self.functions["solve"], [], 0)
        except RecursionError:
            raise Fault("expected a program that nests less deeply") from None
        machine.spend(0, 0)
        budget.steps, budget.moved = machine.steps, budget.moved - memory.moved
        budget.cost -= memory.cost
        return answer, memory


class Budget:
    """What all executions of a program together may still use."""

    def __init__(self):
        self.steps, self.moved, self.cost = LIMITS["steps"], LIMITS["moved"], LIMITS["cost"]


class Machine:
    """The state of one execution. Calls at depth d have the cells of frame d."""

    def __init__(self, memory, program, budget):
        self.memory, self.read, self.write = memory, memory.read, memory.write
        self.frames, self.frame = program.end, program.frame
        self.base, self.depth, self.result = program.end, 0, 0
        self.steps, self.moved, self.cost = budget.steps, budget.moved, budget.cost

    def spend(self, weight, line):
        """Counts the parts of a statement, so that no program runs for long."""
        self.steps -= weight
        if self.steps < 0:
            raise Fault("line %d: expected at most %d steps in all problems together" % (line, LIMITS["steps"]))
        if self.memory.moved > self.moved:
            raise Fault("line %d: expected cells at a smaller distance: the judge would take too long" % line)
        if self.memory.cost > self.cost:
            raise Fault("line %d: expected a cost of at most %d in all problems together" % (line, LIMITS["cost"]))

    def call(self, function, values, line):
        """Executes a function. Its variables begin as 0."""
        if self.depth == LIMITS["depth"]:
            raise Fault("line %d: expected calls nested at most %d deep" % (line, LIMITS["depth"]))
        base = self.base = self.frames + self.frame * self.depth
        self.depth += 1
        cells = len(function.slots)
        self.memory.values[base : base + cells] = [0] * cells
        for slot, value in enumerate(values):
            self.write(base + slot, value)
        flow = function.body(self)
        self.depth -= 1
        self.base = self.frames + self.frame * (self.depth - 1)
        return self.result if flow == RETURN else 0
