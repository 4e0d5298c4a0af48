import { describe, expect, it } from 'vitest';
import { saneRows } from '../../../../../domain/abort/rules/power-law-sprt-corrected.ts';

const rows = Array.from({ length: 21 }, (_, i): (number | null)[] => [i / 20, i < 15 ? null : i]);

describe('forecast errors', () => {
  it('are all kept where none is absurd', () => {
    expect(saneRows(rows)).toBe(rows);
    expect(saneRows([])).toEqual([]);
    expect(saneRows([[1], [1], [1e9]])).toHaveLength(3);
  });

  it('are left out with their run beyond ten times the spread from tenth to tenth', () => {
    // Of 22, sorted: the third is .1 or .05, the nineteenth .9 or .85.
    expect(saneRows([...rows, [0.9 + 8 + 1e-9, null]])).toHaveLength(21);
    expect(saneRows([...rows, [0.9 + 8 - 1e-9, null]])).toHaveLength(22);
    expect(saneRows([...rows, [0.05 - 8 - 1e-9, null]])).toHaveLength(21);
  });

  it('of a look that most runs have not are no ground', () => {
    expect(saneRows([...rows, [0.5, 1e9]])).toHaveLength(22);
  });
});
