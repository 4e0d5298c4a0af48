import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../../../domain/edit/apply-edits.ts';
import { knobValuesIn } from '../../../../../domain/edit/knob-edit.ts';
import type { Knob } from '../../../../../domain/knob/knob.ts';
import { nothingObserved, type Observations } from '../../../../../domain/search/observations.ts';
import type { Draw, DrawInput } from '../../../../../domain/search/proposer.ts';
import { random } from '../../../../../domain/search/proposer/random.ts';
import { grid, gridValues } from '../../../../../domain/search/proposer/space/grid.ts';
import { uniform } from '../../../../../domain/search/proposer/space/uniform.ts';
import { turnKnobs } from '../../../../../domain/search/proposer/turn-knobs.ts';

const file = 'a.py';
const knobs: Knob[] = [
  { file, name: 'LR', type: 'float', range: [0.01, 1], scale: 'log' },
  { file, name: 'DEPTH', type: 'int', range: [1, 3], scale: 'linear' },
  { file, name: 'OPT', type: 'choice', values: ['sgd', 'adam'] },
];
const files = { [file]: "LR = 0.5\nDEPTH = 2\nOPT = 'sgd'\n" };
const input = (more: Partial<DrawInput> = {}): DrawInput => ({
  knobs,
  files,
  seed: 1,
  observations: nothingObserved('minimize'),
  structure: null,
  ...more,
});

function valuesOf(draw: Draw): unknown[] {
  if (!draw.ok) return [draw.reason];
  const after = applyEdits(files, draw.edits, [file]);
  return after.ok ? Object.values(knobValuesIn(knobs, after.files)) : expect.unreachable(after.reason);
}

describe('uniform', () => {
  test('draws all knobs anew, whatever the parent is, the same for the same seed', () => {
    const drawn = Array.from({ length: 200 }, (_, seed) => valuesOf(uniform.draw(input({ seed }), {})));
    expect(drawn.filter(([lr]) => lr === 0.5)).toEqual([]);
    expect(drawn.filter(([lr]) => Number(lr) < 0.1).length).toBeGreaterThan(70);
    expect(drawn.filter(([, , opt]) => opt === 'adam').length).toBeGreaterThan(70);
    expect(valuesOf(uniform.draw(input({ seed: 7 }), {}))).toEqual(drawn[7]);
  });
});

describe('random', () => {
  const after = (total: number, inFlight: Observations['inFlight'] = []): DrawInput =>
    input({ seed: 4, observations: { ...nothingObserved('minimize'), total, inFlight } });

  test('draws evenly five times after the unmodified version, and turns knobs of the parent from then on', () => {
    const even = valuesOf(uniform.draw(input({ seed: 4 }), {}));
    const turned = valuesOf(turnKnobs(input({ seed: 4 })));
    expect(even).not.toEqual(turned);
    expect([1, 5, 6, 1000].map((total) => valuesOf(random.draw(after(total), {})))).toEqual([
      even,
      even,
      turned,
      turned,
    ]);
    const inFlight = [1, 2, 3].map((n) => ({ candidateId: `c${n}`, knobs: {}, structure: null }));
    expect(valuesOf(random.draw(after(3, inFlight), {}))).toEqual(turned);
  });

  test('draws evenly once for every two of many knobs', () => {
    const many = Array.from({ length: 30 }, (_, i): Knob => ({ ...knobs[0], name: `K${i}` }) as Knob);
    const text = many.map(({ name }) => `${name} = 0.5\n`).join('');
    const changed = (total: number): number => {
      const draw = random.draw({ ...after(total), knobs: many, files: { [file]: text } }, {});
      return draw.ok ? draw.edits.length : 0;
    };
    expect(changed(15)).toBe(30);
    expect(changed(16)).toBeLessThan(30);
  });
});

describe('grid', () => {
  const all = (more: Partial<Observations> = {}, settings = { points: 3 }): unknown[][] =>
    [...grid.list(input({ observations: { ...nothingObserved('minimize'), ...more } }), settings)].map(valuesOf);

  test('has evenly spaced values of each knob, with both ends', () => {
    const values = knobs.map((knob) => gridValues(knob, 3));
    expect(values).toEqual([
      [0.01, 0.1, 1],
      [1, 2, 3],
      ['sgd', 'adam'],
    ]);
    expect(gridValues({ ...knobs[1], range: [0, 100] } as Knob, 5)).toEqual([0, 25, 50, 75, 100]);
    expect(gridValues({ ...knobs[1], range: [1, 64], scale: 'log' } as Knob, 4)).toEqual([1, 4, 16, 64]);
  });

  test('lists each point once, wherever it starts', () => {
    const points = all().map((values) => values.join());
    expect([points.length, new Set(points).size]).toEqual([18, 18]);
    const later = all({ total: 8 }).map((values) => values.join());
    expect(later.slice(0, 3)).toEqual(points.slice(7, 10));
    expect(later.toSorted()).toEqual(points.toSorted());
  });

  test('begins with points that lie far apart', () => {
    const first = all().slice(0, 6);
    for (const knob of [0, 1]) expect(new Set(first.map((values) => values[knob])).size).toBe(3);
  });

  test('starts at once in a grid that cannot be listed', () => {
    const many = Array.from({ length: 40 }, (_, i): Knob => ({ ...knobs[0], name: `K${i}` }) as Knob);
    const text = many.map(({ name }) => `${name} = 0.5\n`).join('');
    const [draw] = grid.list(input({ knobs: many, files: { [file]: text } }), { points: 9 });
    expect(draw?.ok).toBe(true);
  });
});
