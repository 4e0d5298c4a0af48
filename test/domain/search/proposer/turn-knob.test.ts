import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import { perturb } from '../../../../domain/search/proposer/perturb.ts';
import { turnKnob } from '../../../../domain/search/proposer/turn-knob.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { findAssignments } from '../../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../../domain/knob/knob.ts';

const file = 'a.js';
const knobs: Knob[] = [
  { file, name: 'RATE', type: 'float', range: [1e-4, 1], scale: 'log' },
  { file, name: 'SHARE', type: 'float', range: [-1, 1], scale: 'linear' },
  { file, name: 'WIDTH', type: 'int', range: [4, 128], scale: 'log' },
  { file, name: 'DEPTH', type: 'int', range: [1, 2], scale: 'linear' },
  { file, name: 'KIND', type: 'choice', values: ['a', 'b', 3, true] },
];
const source =
  "const RATE = 0.02;\nconst SHARE = 0;\nconst WIDTH = 16; // units\nconst DEPTH = 1;\nconst KIND = 'a';\nrun();\n";
const values = (text: string): unknown[] => knobs.map(({ name }) => findAssignments(text, name)[0]?.value);

function propose(text: string, seed: number): string {
  const proposal = turnKnob({ knobs, files: { [file]: text }, seed });
  if (!proposal.ok) return expect.unreachable(proposal.reason);
  const applied = applyEdits({ [file]: text }, proposal.edits, [file]);
  if (!applied.ok) return expect.unreachable(applied.reason);
  return applied.files[file] ?? '';
}

/** The reason why a value does not fit its knob. */
function fault(knob: Knob, value: unknown): string | null {
  if (knob.type === 'choice') return knob.values.some((one) => one === value) ? null : 'no choice';
  if (typeof value !== 'number' || value < knob.range[0] || value > knob.range[1])
    return `out of range: ${String(value)}`;
  return knob.type === 'int' && !Number.isInteger(value) ? 'no whole number' : null;
}

describe('turnKnob', () => {
  it('changes exactly one knob within its range, thousands of times in a row', () => {
    let text = source;
    const faults: string[] = [];
    for (let seed = 0; seed < 3000; seed += 1) {
      const next = propose(text, seed);
      const [before, after] = [values(text), values(next)];
      if (after.filter((value, i) => value !== before[i]).length !== 1) faults.push(`not one change: ${next}`);
      knobs.forEach((knob, i) => faults.push(...[fault(knob, after[i])].filter((one) => one !== null)));
      text = next;
    }
    expect(faults).toEqual([]);
    expect(text.split('\n').at(-2)).toBe('run();');
  });

  it('gives the same proposal for the same seed, and turns every knob over the seeds', () => {
    const options = { knobs, files: { [file]: source }, seed: 12 };
    expect(turnKnob(options)).toEqual(turnKnob(options));
    const changed = Array.from({ length: 400 }, (_, seed) => {
      const after = values(propose(source, seed));
      return knobs[after.findIndex((value, i) => value !== values(source)[i])]?.name;
    });
    for (const { name } of knobs) expect(changed.filter((one) => one === name).length).toBeGreaterThan(40);
  });

  it('names the change, and edits only one line if possible', () => {
    const proposal = turnKnob({ knobs: knobs.slice(3, 4), files: { [file]: source }, seed: 1 });
    expect(proposal).toEqual({
      ok: true,
      hypothesis: 'DEPTH 1 → 2 (a.js)',
      edits: [{ path: file, search: 'const DEPTH = 1;', replace: 'const DEPTH = 2;' }],
    });
  });

  it('brings a value back that another proposer moved out of range', () => {
    const after = findAssignments(propose('const DEPTH = 40;\n', 5), 'DEPTH')[0]?.value;
    expect([1, 2]).toContain(after);
  });

  it('skips knobs that are missing, doubled or no literal, and fails with a reason if none is left', () => {
    const left = 'RATE = RATE0 * 2\nWIDTH = 8\nWIDTH = 9\nDEPTH = 2\n';
    for (let seed = 0; seed < 50; seed += 1) expect(propose(left, seed)).toBe(left.replace('DEPTH = 2', 'DEPTH = 1'));
    const none = turnKnob({ knobs: knobs.slice(0, 1), files: {}, seed: 1 });
    expect(none).toEqual({
      ok: false,
      reason:
        "expected at least one knob that the parent's files set exactly once, to a literal value, " +
        'found none of 1 (RATE in a.js)',
    });
  });

  it('keeps CRLF', () => {
    expect(propose('const DEPTH = 1;\r\nrun();\r\n', 1)).toBe('const DEPTH = 2;\r\nrun();\r\n');
  });
});

describe('perturb', () => {
  const rate: Extract<Knob, { range: unknown }> = { file, name: 'RATE', type: 'float', range: [1e-4, 1], scale: 'log' };
  const draws = Array.from({ length: 4000 }, (_, seed) =>
    perturb(rate, 0.01, { random: createRandom(seed), digits: 4 }),
  );

  it('stays near its start most of the time and sometimes goes anywhere', () => {
    const near = draws.filter((value) => value > 0.003 && value < 0.03).length / draws.length;
    expect(near).toBeGreaterThan(0.5);
    expect(near).toBeLessThan(0.95);
    expect(draws.filter((value) => value < 3e-4).length).toBeGreaterThan(20);
    expect(draws.filter((value) => value > 0.3).length).toBeGreaterThan(20);
  });

  it('is symmetric on the log scale and writes few digits', () => {
    const up = draws.filter((value) => value > 0.01).length / draws.length;
    expect(Math.abs(up - 0.5)).toBeLessThan(0.03);
    expect(draws.every((value) => Number(value.toPrecision(4)) === value)).toBe(true);
  });
});
