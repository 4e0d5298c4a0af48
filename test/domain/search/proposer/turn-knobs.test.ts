import { expect, it } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import { turnKnobs } from '../../../../domain/search/proposer/turn-knobs.ts';
import { findAssignments } from '../../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../../domain/knob/knob.ts';

const file = 'a.js';
const names = ['A', 'B', 'C', 'D', 'E', 'F'];
const knobs: Knob[] = names.map((name) => ({ file, name, type: 'float', range: [0, 1], scale: 'linear' }));
const source = names.map((name) => `const ${name} = 0.9;\n`).join('');
const values = (text: string): number[] => names.map((name) => Number(findAssignments(text, name)[0]?.value));

function proposed(seed: number): number[] {
  const proposal = turnKnobs({ knobs, files: { [file]: source }, seed });
  if (!proposal.ok) return expect.unreachable(proposal.reason);
  const applied = applyEdits({ [file]: source }, proposal.edits, [file]);
  return applied.ok ? values(applied.files[file] ?? '') : expect.unreachable(applied.reason);
}
const draws = Array.from({ length: 3000 }, (_, seed) => proposed(seed));

it('changes one knob most often and sometimes all, each knob as often as any other', () => {
  const counts = draws.map((drawn) => drawn.filter((value) => value !== 0.9).length);
  const share = (count: number): number => counts.filter((one) => one === count).length / draws.length;
  // The share of k knobs is 1/k, divided by 1 + 1/2 + … + 1/6 = 2.45.
  for (let k = 1; k <= 6; k += 1) expect(share(k)).toBeCloseTo(1 / k / 2.45, 1);
  expect(share(0)).toBe(0);
  const turned = names.map((_, i) => draws.filter((drawn) => drawn[i] !== 0.9).length);
  expect(Math.max(...turned) - Math.min(...turned)).toBeLessThan(0.05 * draws.length);
});

it('takes steps from one end of a range to the other, and fine ones, too', () => {
  const steps = draws.flatMap((drawn) => drawn.filter((value) => value !== 0.9).map((value) => Math.abs(value - 0.9)));
  const share = (is: (step: number) => boolean): number => steps.filter(is).length / steps.length;
  expect(share((step) => step > 0.5)).toBeGreaterThan(0.1);
  expect(share((step) => step < 0.05)).toBeGreaterThan(0.2);
});

it('fails if no knob is in the files', () => {
  expect(turnKnobs({ knobs: knobs.slice(0, 1), files: {}, seed: 1 })).toMatchObject({ ok: false });
});
