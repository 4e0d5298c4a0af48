import { describe, expect, it, test } from 'vitest';
import { applyEdits } from '../../../../../domain/edit/apply-edits.ts';
import { locateKnob } from '../../../../../domain/edit/knob-edit.ts';
import { setKnobs } from '../../../../../domain/edit/set-knobs.ts';
import { isInSpace } from '../../../../../domain/knob/in-space.ts';
import type { KnobValue } from '../../../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../../../domain/knob/knob.ts';
import type { Draw } from '../../../../../domain/search/proposer.ts';
import { drawInSpace, otherDrawsInSpace } from '../../../../../domain/search/proposer/space/draw-in-space.ts';
import { turnKnob } from '../../../../../domain/search/proposer/turn-knob.ts';
import { turnKnobs } from '../../../../../domain/search/proposer/turn-knobs.ts';

const file = 'k.py';
const KNOBS: Knob[] = [
  { file, name: 'LR', type: 'float', range: [0.01, 1], scale: 'log' },
  { file, name: 'DEPTH', type: 'int', range: [1, 8], scale: 'linear' },
  { file, name: 'OPT', type: 'choice', values: ['sgd', 'lion', null] },
  { file, name: 'WIDTH', type: 'int', range: [16, 64], scale: 'log' },
];
const LEAD = "LR = 0.0005\nDEPTH = 20\nOPT = 'adam'\nWIDTH = 32\nKEPT = 99\n";
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

function fileOf(draw: Draw, source: string): string {
  if (!draw.ok) return expect.unreachable(draw.reason);
  const applied = applyEdits({ [file]: source }, draw.edits, [file]);
  return applied.ok ? (applied.files[file] ?? '') : expect.unreachable(applied.reason);
}
const valueIn = (text: string, knob: Knob): KnobValue | undefined => locateKnob({ [file]: text }, knob)?.value;
const valuesIn = (text: string, knobs = KNOBS) => knobs.map((knob) => valueIn(text, knob));
const isInside = (text: string, knobs = KNOBS): boolean =>
  knobs.every((knob) => {
    const value = valueIn(text, knob);
    return value !== undefined && isInSpace(knob, value);
  });
const drawn = (seed: number, source = LEAD, knobs = KNOBS): string =>
  fileOf(
    drawInSpace({ knobs, files: { [file]: source }, seed }, (input) => turnKnobs(input)),
    source,
  );

describe('a draw from a lead outside the search space', () => {
  it('lies inside, whichever knobs it turns', () => {
    for (const seed of SEEDS) expect(isInside(drawn(seed)), drawn(seed)).toBe(true);
  });

  it('takes the nearest end for a number that is not turned, and draws a removed choice anew', () => {
    const texts = SEEDS.map((seed) => drawn(seed));
    const count = (name: string, value: KnobValue): number => {
      const knob = KNOBS.find((one) => one.name === name) as Knob;
      return texts.filter((text) => valueIn(text, knob) === value).length;
    };
    expect([count('LR', 0.01), count('DEPTH', 8), count('WIDTH', 32)].map((n) => n > SEEDS.length / 4)).toEqual([
      true,
      true,
      true,
    ]);
    for (const value of ['sgd', 'lion', null]) expect(count('OPT', value)).toBeGreaterThan(SEEDS.length / 6);
    for (const text of texts) expect(text).toContain('KEPT = 99');
  });

  it('names each knob once, from its value in the lead', () => {
    const draw = drawInSpace({ knobs: KNOBS, files: { [file]: LEAD }, seed: 3 }, (input) => turnKnobs(input));
    if (!draw.ok) return expect.unreachable(draw.reason);
    expect(draw.hypothesis).toMatch(/^LR 0\.0005 → .*, DEPTH 20 → .*, OPT 'adam' → /);
    expect(draw.edits.length).toBe(draw.hypothesis.split(', ').length);
  });

  it.each<[string, string, Knob]>([
    [
      'a text where a number belongs now',
      "K = 'auto'\n",
      { file, name: 'K', type: 'int', range: [1, 4], scale: 'log' },
    ],
    [
      'a fraction where a whole number belongs',
      'K = 2.5\n',
      { file, name: 'K', type: 'int', range: [1, 4], scale: 'log' },
    ],
    ['a number where a word belongs', 'K = 3\n', { file, name: 'K', type: 'choice', values: ['a', 'b'] }],
    ['null where a number belongs', 'K = None\n', { file, name: 'K', type: 'float', range: [0, 1], scale: 'linear' }],
  ])('moves %s into the space', (_name, source, knob) => {
    for (const seed of SEEDS.slice(0, 20)) expect(isInside(drawn(seed, source, [knob]), [knob])).toBe(true);
  });

  it('lies inside even if it takes the value of an earlier candidate that lies outside', () => {
    const [rate] = KNOBS as [Knob];
    const inside = LEAD.replace('0.0005', '0.5').replace('20', '3').replace('adam', 'sgd');
    for (const source of [LEAD, inside]) {
      const files = { [file]: source };
      const draw = drawInSpace({ knobs: KNOBS, files, seed: 1 }, (input) =>
        setKnobs([{ knob: rate, value: 7 }], input.files),
      );
      expect(valueIn(fileOf(draw, source), rate)).toBe(1);
      expect(isInside(fileOf(draw, source))).toBe(true);
    }
  });

  it('is the draw itself if the lead lies inside', () => {
    const input = {
      knobs: KNOBS,
      files: { [file]: LEAD.replace('0.0005', '0.5').replace('20', '3').replace('adam', 'sgd') },
    };
    for (const seed of SEEDS.slice(0, 20))
      expect(drawInSpace({ ...input, seed }, (one) => turnKnob(one))).toEqual(turnKnob({ ...input, seed }));
  });

  it('leaves a new knob that the lead does not have alone', () => {
    const knobs: Knob[] = [...KNOBS, { file, name: 'NEW', type: 'int', range: [1, 2], scale: 'linear' }];
    expect(valuesIn(drawn(1, LEAD, knobs), knobs).at(-1)).toBeUndefined();
  });
});

test('the further draws from a lead outside are every combination of the space, once', () => {
  const [, depth, opt] = KNOBS as [Knob, Knob, Knob];
  const draws = [...otherDrawsInSpace({ knobs: [depth, opt], files: { [file]: LEAD }, seed: 7 })];
  const texts = draws.map((draw) => fileOf(draw, LEAD));
  expect(texts.every((text) => isInside(text, [depth, opt]))).toBe(true);
  expect(texts).toHaveLength(8 * 3);
  expect(new Set(texts).size).toBe(8 * 3);
});
