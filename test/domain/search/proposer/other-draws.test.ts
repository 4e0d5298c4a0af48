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
    const drawn = texts([A, B, N]);
    expect(drawn).toHaveLength(3 * 2 * 4 - 1);
    expect(new Set([SOURCE, ...drawn]).size).toBe(3 * 2 * 4);
  });

  test('change as few knobs as possible, and name every change', () => {
    const draws = [...otherDraws({ knobs: [A, B], files: { [FILE]: SOURCE }, seed: 2 })];
    const hypotheses = draws.map((draw) => (draw.ok ? draw.hypothesis : draw.reason));
    expect(hypotheses.map((hypothesis) => hypothesis.split(', ').length)).toEqual([1, 1, 1, 2, 2]);
    expect(hypotheses).toContain('A "a0" → "a2" (k.mjs), B true → false (k.mjs)');
  });

  test('bring a value outside of its range back into it', () => {
    expect(texts([N], 'const N = 40\n').toSorted()).toEqual([-1, 0, 1, 2].map((n) => `const N = ${n}\n`).toSorted());
  });

  test('change only the float in ever finer steps, if there is one', () => {
    const drawn = new Set(texts([A, RATE]));
    expect(drawn.size).toBeGreaterThan(20);
    for (const text of drawn) expect(text).toContain('const A = "a0"');
  });

  test('do not exist if no knob is in the files', () => {
    expect(texts([A, N], 'const A = pick()\n')).toEqual([]);
  });
});
