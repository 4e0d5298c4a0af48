import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../domain/statistics/random.ts';
import type { Knob } from '../../../../domain/knob/knob.ts';
import { mapElites } from '../../../../domain/search/parent/map-elites.ts';
import { parentProblems } from '../../../../domain/task/contradictions/parent-problems.ts';
import { fitOverrides } from '../../../../domain/task/overrides.ts';
import { pathText, sentenceOf } from '../../../../domain/issue/problem.ts';
import { Task } from '../../../../domain/task/task.ts';
import { TASK } from '../../../cli/support/lineage.ts';
import { nodeOf, viewWith } from './niche-views.ts';

const KNOBS: Knob[] = [
  { file: 'a.py', name: 'lr', type: 'float', range: [0.001, 1], scale: 'log' },
  { file: 'a.py', name: 'depth', type: 'int', range: [1, 9], scale: 'linear' },
  { file: 'a.py', name: 'act', type: 'choice', values: ['relu', 'tanh', null] },
  { file: 'b.py', name: 'lr', type: 'float', range: [0, 1], scale: 'linear' },
];
const placing = { isOriginal: false, seq: 6, parentNiche: null, chosenNiche: null, knobs: {}, metrics: {} };
type By = { metric?: string; knob?: string; edges?: number[] }[];
const cellOf = (input: Partial<typeof placing>, descriptors?: By) =>
  mapElites.niches!.nicheOf(
    { ...placing, ...input },
    { settings: descriptors === undefined ? {} : { by: descriptors }, knobs: KNOBS },
  );

describe('the cell of a candidate', () => {
  const by = [{ metric: 'size', edges: [10, 20] }, { knob: 'depth', edges: [4] }, { knob: 'act' }];

  test('names the bin of each descriptor; values outside belong to the outer bins', () => {
    const knobs = { 'a.py:depth': 4, 'a.py:act': 'tanh' };
    expect(cellOf({ metrics: { size: -5 }, knobs }, by)).toBe('size <10, depth ≥4, act tanh');
    expect(cellOf({ metrics: { size: 10 }, knobs }, by)).toBe('size 10–20, depth ≥4, act tanh');
    expect(cellOf({ metrics: { size: Infinity }, knobs: { ...knobs, 'a.py:act': null } }, by)).toBe(
      'size ≥20, depth ≥4, act null',
    );
  });

  test('has a labelled bin for a value that is missing, or that is no number or no value of the choice', () => {
    const missing = 'size missing, depth missing, act missing';
    expect(cellOf({}, by)).toBe(missing);
    const knobs = { 'a.py:depth': 'deep', 'a.py:act': 'gelu' };
    expect(cellOf({ metrics: { size: Number.NaN }, knobs }, by)).toBe(missing);
  });

  test('is by default that of the first two knobs, in five even bins on their scales', () => {
    const at = (lr: number, depth: number) => cellOf({ knobs: { 'a.py:lr': lr, 'a.py:depth': depth } });
    expect(at(0.001, 1)).toBe('lr <0.00398, depth <3');
    expect(at(0.004, 5)).toBe('lr 0.00398–0.0158, depth 5–6');
    expect(at(2, 9)).toBe('lr ≥0.251, depth ≥8');
  });
});

describe('map-elites', () => {
  test('draws each cell equally often, starts from its elite, and states the cell', () => {
    const niches = ['lr <1', 'lr ≥1', 'lr missing'].map((key, index) => ({
      key,
      begun: 1,
      inFlight: 0,
      best: [nodeOf(`elite ${key}`, { value: index, seq: index })],
    }));
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= 3000; seed += 1) {
      const { candidateId, niche, reason } = mapElites.choose(viewWith(niches), {
        settings: {},
        random: createRandom(seed),
      })!;
      expect(candidateId).toBe(`elite ${niche}`);
      expect(reason).toMatch(/^elite of the cell lr .*, drawn from 3 cells: [012]$/);
      counts[niche!] = (counts[niche!] ?? 0) + 1;
    }
    for (const count of Object.values(counts)) expect(Math.abs(count - 1000)).toBeLessThan(120);
    expect(Object.keys(counts)).toHaveLength(3);
  });

  test('spreads sixteen choices at once evenly over the cells', () => {
    const cells = Array.from({ length: 8 }, (_, index) => ({
      key: `cell ${index}`,
      begun: 1,
      inFlight: 0,
      best: [nodeOf(`elite ${index}`, { value: index, seq: index })],
    }));
    for (let seed = 1; seed <= 16; seed += 1) {
      const { niche } = mapElites.choose(viewWith(cells), { settings: {}, random: createRandom(seed) })!;
      cells.find(({ key }) => key === niche)!.inFlight += 1;
    }
    expect(cells.map(({ inFlight }) => inFlight)).toEqual(Array.from({ length: 8 }, () => 2));
  });
});

describe('check refuses', () => {
  const problemsOf = (search: unknown): string[] => {
    const task = Task.parse({ ...TASK, secondary: [{ name: 'size' }], knobs: KNOBS, search });
    return parentProblems(task).map((problem) => `${pathText(problem.path)}: ${sentenceOf(problem)}`);
  };
  const byOf = (...descriptors: unknown[]) => problemsOf({ parent: { name: 'map-elites', by: descriptors } });

  test.each([
    [[{ metric: 'sise', edges: [1] }], /^search\.parent\.by\[0\]\.metric: expected a secondary metric .*size.*"sise"/],
    [[{ knob: 'width', edges: [1] }], /^search\.parent\.by\[0\]\.knob: expected a knob of the task.*"width"/],
    [[{ knob: 'lr', edges: [1] }], /^search\.parent\.by\[0\]\.knob: expected a name that one knob has.*write a\.py:lr/],
    [[{ knob: 'act', edges: [1] }], /^search\.parent\.by\[0\]\.edges: expected no edges, since act is a choice/],
    [[{ knob: 'act' }, { knob: 'depth' }], /^search\.parent\.by\[1\]\.edges: expected edges/],
    [
      [1, 2].map(() => ({ metric: 'size', edges: Array.from({ length: 40 }, (_, edge) => edge) })),
      /^search\.parent\.by: expected at most 1000 cells.*got 1681 cells/,
    ],
  ])('a descriptor that the task does not have: %j', (descriptors, says) => {
    const found = byOf(...descriptors);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(says);
  });

  test('an arm with other cells than the research, but not with the same', () => {
    const cells = (edge: number) => ({ name: 'map-elites', by: [{ metric: 'size', edges: [edge] }] });
    const withArm = (parent: unknown) => ({
      parent: cells(1),
      proposer: { name: 'mix', arms: [{ proposer: 'random', parent }, { proposer: 'tpe' }] },
    });
    expect(problemsOf(withArm(cells(1)))).toEqual([]);
    expect(problemsOf(withArm('puct'))).toEqual([]);
    expect(problemsOf(withArm(cells(2)))).toEqual([
      expect.stringMatching(
        /^search\.proposer\.arms\[0\]\.parent: expected the same islands or cells as at search\.parent/,
      ),
    ]);
    expect(problemsOf(withArm('islands'))).toHaveLength(1);
  });

  test('map-elites without descriptors for a task without knobs', () => {
    const task = Task.parse({ ...TASK, search: { parent: 'map-elites' } });
    expect(parentProblems(task).map(({ path }) => pathText(path))).toEqual(['search.parent.by']);
  });
});

test.each([
  [{ metric: 'size', edges: [2, 1] }, /^search\.parent\.by\[0\]\.edges: .*edges that increase/],
  [{ metric: 'size', knob: 'lr', edges: [1] }, /^search\.parent\.by\[0\]: .*either metric or knob/],
  [{ edges: [1] }, /^search\.parent\.by\[0\]: .*either metric or knob/],
])('a descriptor that contradicts itself is refused with its path: %j', (descriptor, says) => {
  const { unfit } = fitOverrides(TASK, { search: { parent: { name: 'map-elites', by: [descriptor] } } });
  expect(unfit).toEqual([expect.stringMatching(says)]);
});
