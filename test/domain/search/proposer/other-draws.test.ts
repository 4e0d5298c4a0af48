import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import { otherDraws } from '../../../../domain/search/proposer/other-draws.ts';
import type { Knob } from '../../../../domain/knob/knob.ts';

const FILE = 'k.mjs';
const A: Knob = { file: FILE, name: 'A', type: 'choice', values: ['a0', 'a1', 'a2'] };
const B: Knob = { file: FILE, name: 'B', type: 'choice', values: [true, false] };
const N: Knob = { file: FILE, name: 'N', type: 'int', range: [-1, 2], scale: 'linear' };
const RATE: Knob = { file: FILE, name: 'RATE', type: 'float', range: [0.9, 0.9001], scale: 'linear' };
const SOURCE = 'const A = "a0"\nconst B = true\nconst N = 0\nconst RATE = 0.9\n';

function texts(knobs: Knob[], source = SOURCE, seed = 5): string[] {
  return [...otherDraws({ knobs, files: { [FILE]: source }, seed })].map((draw) => {
    if (!draw.ok) return expect.unreachable(draw.reason);
    const applied = applyEdits({ [FILE]: source }, draw.edits, [FILE]);
    return applied.ok ? (applied.files[FILE] ?? '') : expect.unreachable(applied.reason);
  });
}

describe('draws for a parent whose neighbours are known', () => {
  test('are every other combination of choices and whole numbers, once', () => {
    const told = texts([A, B, N]);
    expect(told).toHaveLength(3 * 2 * 4 - 1);
    expect(new Set([SOURCE, ...told]).size).toBe(3 * 2 * 4);
  });

  test('change as few knobs as they can, and say all that they change', () => {
    const draws = [...otherDraws({ knobs: [A, B], files: { [FILE]: SOURCE }, seed: 2 })];
    const words = draws.map((draw) => (draw.ok ? draw.hypothesis : draw.reason));
    expect(words.map((one) => one.split(', ').length)).toEqual([1, 1, 1, 2, 2]);
    expect(words).toContain('A "a0" → "a2" (k.mjs), B true → false (k.mjs)');
  });

  test('bring back a value that stands outside of its range', () => {
    expect(texts([N], 'const N = 40\n').toSorted()).toEqual([-1, 0, 1, 2].map((n) => `const N = ${n}\n`).toSorted());
  });

  test('turn a float as finely as it takes, where there is one', () => {
    const told = new Set(texts([A, RATE]));
    expect(told.size).toBeGreaterThan(20);
    for (const text of told) expect(text).toContain('const A = "a0"');
  });

  test('are none where no knob stands in the files', () => {
    expect(texts([A, N], 'const A = pick()\n')).toEqual([]);
  });
});
