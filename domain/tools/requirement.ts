/** A program or a Python module that a task requires: `python3>=3.10,<3.14`, `nvidia-smi`, `import numpy`. */
export interface Requirement {
  /** The requirement as the task states it. */
  text: string;
  kind: 'command' | 'python';
  name: string;
  bounds: Bound[];
}

interface Bound {
  by: '>=' | '<=' | '==' | '>' | '<';
  version: string;
}

const WHOLE = /^(import +)?([A-Za-z0-9_][A-Za-z0-9._+-]*?) *((?:(?:>=|<=|==|>|<) *\d+(?:\.\d+)*(?: *, *)?)*)$/;

/** Parses a requirement; null if it is invalid, or if it asks for a version of a module. */
export function readRequirement(text: string): Requirement | null {
  const [, imported, name, rest = ''] = WHOLE.exec(text.trim()) ?? [];
  if (name === undefined || rest.trim().endsWith(',')) return null;
  const bounds = [...rest.matchAll(/(>=|<=|==|>|<) *(\d+(?:\.\d+)*)/g)].map(([, by, version]) => ({
    by: by as Bound['by'],
    version: version ?? '',
  }));
  if (imported !== undefined && (bounds.length > 0 || !/^[A-Za-z_]\w*$/.test(name))) return null;
  return { text, kind: imported === undefined ? 'command' : 'python', name, bounds };
}

/** The version in the output of a program; null if there is none. */
export const versionIn = (output: string): string | null => /(?<![\w.])v?(\d+(?:\.\d+)+)/.exec(output)?.[1] ?? null;

/** True if a version is within the bounds. 3.10 is above 3.9, and `==3.11` accepts every 3.11.x. */
export const satisfies = (version: string, bounds: readonly Bound[]): boolean =>
  bounds.every(({ by, version: bound }) => {
    const order = compare(version, bound);
    switch (by) {
      case '>=':
        return order >= 0;
      case '<=':
        return order <= 0 || within(version, bound);
      case '>':
        return order > 0 && !within(version, bound);
      case '<':
        return order < 0;
      case '==':
        return within(version, bound);
    }
  });

const numbers = (version: string): number[] => version.split('.').map(Number);

function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True if a version equals the bound or extends it: 3.11.7 is a 3.11. */
function within(version: string, bound: string): boolean {
  const given = numbers(version);
  return numbers(bound).every((part, i) => part === (given[i] ?? 0));
}
