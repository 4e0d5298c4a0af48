"""The tracked memory: cells of integers, and the price of each read.

The cells form a stack, most recently used first. A read of the cell at position d of this stack costs the square root
of d. Reads and writes both move their cell to the top (LRU), and a write costs nothing. A cell that nothing has touched
holds 0 and lies below all others. At the start the stack holds the inputs in the order y[0], y[1], …, x[0], x[1], ….
"""

from math import sqrt

# The stack is a list, and the search for a cell takes time in proportion to its position. `moved` adds up these
# positions, and `Machine.spend` limits the sum. A Fenwick tree would need no limit, but takes longer for most programs.


class Memory:
    """Cells 0 to `size` - 1, of which the first are the inputs."""

    def __init__(self, inputs, size):
        self.values = list(inputs) + [0] * (size - len(inputs))
        self.stack = list(range(len(inputs)))
        self.roots = [sqrt(position) for position in range(1, size + 2)]
        self.cost, self.reads, self.moved = 0.0, 0, 0
        # The inputs that nothing has touched yet, and those that were read before any write.
        self.unread, self.seen = set(self.stack), set()

    def read(self, cell):
        """Returns the value of the cell and charges its distance."""
        self.reads += 1
        self.cost += self.roots[self.touch(cell)]
        if cell in self.unread:
            self.unread.remove(cell)
            self.seen.add(cell)
        return self.values[cell]

    def write(self, cell, value):
        """Stores a value. Free of charge."""
        self.touch(cell)
        self.unread.discard(cell)
        self.values[cell] = value

    def touch(self, cell):
        """Moves the cell to the top. Returns the number of cells that were above it."""
        stack = self.stack
        try:
            position = stack.index(cell)
        except ValueError:
            position = len(stack)
            stack.append(cell)
        if position:
            # Moves only the cells above, so that a long stack below them takes no time.
            stack[1 : position + 1] = stack[:position]
            stack[0] = cell
            self.moved += position
        return position
