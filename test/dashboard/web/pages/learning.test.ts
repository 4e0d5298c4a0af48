import { expect, test } from 'vitest';
import type { Update } from '../../../../dashboard/api/learning.ts';
import { lanesOf } from '../../../../dashboard/web/pages/learning/lanes.ts';
import { tracesOf } from '../../../../dashboard/web/pages/learning/traces.ts';
import { learningView } from '../../../../dashboard/web/pages/learning/view.ts';
import { metricsOf } from '../../../../dashboard/web/pages/learning/labels.ts';
import { csvText } from '../../../../view/figure/csv.ts';
import { htmlFile } from '../../../../view/figure/html-file.ts';

const update = (k: number, over: Partial<Update> = {}): Update => ({
  k,
  state: 'done',
  parent: k - 1,
  checkpoint: `h${k}`,
  inForce: false,
  held: false,
  removed: false,
  samples: 8,
  skipped: 0,
  reward: k / 10,
  error: null,
  legal: 1,
  metrics: {},
  gates: [],
  seconds: 4,
  reason: null,
  dueAt: '2026-11-27T00:00:00Z',
  endedAt: '2026-11-27T00:01:00Z',
  ...over,
});
const lanes = (updates: Update[], inForce: number) =>
  lanesOf(updates, inForce).map(({ k, lane, from }) => [k, lane, from]);

test('successive versions share a line, the newest on top', () => {
  expect(lanes([update(1), update(2)], 2)).toEqual([
    [2, 0, 1],
    [1, 0, 2],
    [0, 0, null],
  ]);
});

test('versions that a rollback left behind have a line of their own', () => {
  const updates = [update(1), update(2), update(3), update(4, { parent: 1 })];
  expect(lanes(updates, 4)).toEqual([
    [4, 0, 3],
    [3, 1, 2],
    [2, 1, 3],
    [1, 0, 4],
    [0, 0, null],
  ]);
});

test('two versions left behind one after the other share a line, two at once do not', () => {
  const after = [
    update(1),
    update(2, { parent: 1 }),
    update(3, { parent: 1 }),
    update(4, { parent: 3 }),
    update(5, { parent: 3 }),
  ];
  expect(lanes(after, 5).map(([k, lane]) => [k, lane])).toEqual([
    [5, 0],
    [4, 1],
    [3, 0],
    [2, 1],
    [1, 0],
    [0, 0],
  ]);
  const atOnce = [update(1), update(2, { parent: 1 }), update(3, { parent: 1 }), update(4, { parent: 1 })];
  expect(lanes(atOnce, 4).map(([k, lane]) => [k, lane])).toEqual([
    [4, 0],
    [3, 2],
    [2, 1],
    [1, 0],
    [0, 0],
  ]);
});

test('the base model is not shown if the updates do not reach back to it', () => {
  expect(lanes([update(40), update(41)], 41)).toEqual([
    [41, 0, 1],
    [40, 0, null],
  ]);
});

test('a version that is its own ancestor ends the line', () => {
  expect(lanes([update(3, { parent: 3 })], 3)[0]?.slice(0, 2)).toEqual([3, 0]);
});

test('curves are in a fixed order, without those that no update has', () => {
  const updates = [
    update(1, { metrics: { zeta: 1, gradNorm: 2, entropy: 1, rewardMean: 4 } }),
    update(2, { legal: null }),
  ];
  expect(metricsOf(updates)).toEqual(['reward', 'legal', 'entropy', 'gradNorm', 'zeta']);
});

test('a curve has a gap for a missing or infinite number, and a mark for a gate that fired on it', () => {
  const gates = [
    { metric: 'entropy', then: 'adjust', words: 'entropy too low' },
    { metric: 'rewardMean', then: 'tell', words: 'reward fell' },
  ];
  const traces = tracesOf([
    update(2, { metrics: { entropy: Infinity } }),
    update(1, { metrics: { entropy: 2 }, gates }),
  ]);
  const entropy = traces.find(({ metric }) => metric === 'entropy');
  expect(entropy?.points).toEqual([
    { x: 1, y: 2 },
    { x: 2, y: null },
  ]);
  expect(entropy?.gates).toEqual([{ x: 1, then: 'adjust' }]);
  expect(traces.find(({ metric }) => metric === 'reward')?.gates).toEqual([{ x: 1, then: 'tell' }]);
  expect(traces.every(({ span }) => span.from === 1 && span.to === 2)).toBe(true);
});

test('held-out values follow the first curve, by their source, at their versions', () => {
  const updates = [
    { ...update(1, {}), reward: 0.5 },
    { ...update(2, {}), reward: 0.6 },
  ];
  const found = { samples: 6, readable: 1, low: 0.1, high: 0.3 };
  const traces = tracesOf(
    updates,
    [],
    [
      { ...found, version: 0, source: 'apart', value: 0.1 },
      { ...found, version: 2, source: 'within', value: 0.2 },
      { ...found, version: 1, source: 'within', value: null },
    ],
  );
  expect(traces.slice(0, 3).map(({ metric }) => metric)).toEqual(['reward', 'heldOut-within', 'heldOut-apart']);
  expect(traces[1]).toMatchObject({
    points: [{ x: 2, y: 0.2 }],
    intervals: [{ x: 2, low: 0.1, high: 0.3 }],
    gates: [],
  });
  expect(traces[2]?.points).toEqual([{ x: 0, y: 0.1 }]);
  expect(traces.map(({ span }) => span)).toEqual(traces.map(() => ({ from: 0, to: 2 })));
});

test('only the curve of the reward has intervals and references', () => {
  const references = [{ name: 'best constant', value: 0.53, shift: -0.07, stays: null }];
  const updates = [
    update(1, { reward: 0.5, error: 0.25, metrics: { entropy: 1 } }),
    update(2),
    update(3, { reward: null, error: 1 }),
  ];
  const [reward, ...others] = tracesOf(updates, references);
  expect(reward?.intervals).toEqual([{ x: 1, low: 0.25, high: 0.75 }]);
  expect(reward?.references).toEqual([{ name: 'best constant', value: 0.53 }]);
  for (const { intervals, references } of others) expect([intervals, references]).toEqual([undefined, undefined]);
});

test('a metric with the name of a property of every object is a metric', () => {
  const metrics = Object.fromEntries([['constructor', 3]]);
  expect(tracesOf([update(1), update(2, { metrics })]).find(({ metric }) => metric === 'constructor')?.points).toEqual([
    { x: 1, y: null },
    { x: 2, y: 3 },
  ]);
});

test('the view has every update, and treats hostile names as text', () => {
  const metrics = { '=HYPERLINK("x")': 1 };
  const learning = {
    algorithm: 'grpo',
    version: 2,
    pinned: false,
    halted: '<b>stop</b>',
    batch: null,
    origin: 'tiny',
    heirs: [],
    commands: [],
    evaluations: [],
    references: [{ name: '<i>best</i>', value: 0.6, shift: 0, stays: 'it names no baseline' }],
    updates: [update(1), update(2, { metrics })],
  };
  const view = learningView('a/b', learning, new Date('2026-11-27T00:00:00Z'));
  expect(view.stem).toBe('perpetua-a-b-learning');
  expect(csvText(view.data).split('\r\n')).toHaveLength(4);
  expect(csvText(view.data)).toContain(`"'=HYPERLINK(""x"")"`);
  expect(htmlFile(view)).toContain('&lt;b&gt;stop&lt;/b&gt;');
  expect(htmlFile(view)).toContain('&lt;i&gt;best&lt;/i&gt;');
  expect(htmlFile(view)).not.toContain('<i>best');
});
