import { describe, expect, it } from 'vitest';
import { differenceOf, nameBeside, rowsOf } from '../../../../dashboard/web/pages/compare/rows.ts';
import type { Trial } from '../../../../dashboard/api/trials/trial.ts';

const trial = (changes: Partial<Trial>): Trial => ({
  trialId: 'demo/1',
  research: 'demo',
  n: 1,
  kind: 'search',
  ofTrial: null,
  status: 'completed',
  stage: null,
  share: null,
  failure: null,
  failureMessage: null,
  outcomeWords: 'completed',
  verdict: 'discard',
  verdictWords: 'discard',
  reason: 'too small',
  metric: { name: 'loss', direction: 'minimize', unit: 'nats', optimum: null },
  value: 3,
  trusted: true,
  parentValue: 3.1,
  baselineValue: 3.2,
  expectedDelta: null,
  gotDelta: -0.1,
  metrics: [],
  hypothesis: 'warm up',
  proposer: 'm',
  parentReason: null,
  operator: null,
  proposerReason: null,
  agent: null,
  candidateId: 'c',
  parentId: 'p',
  seed: 1,
  staleness: 0,
  evaluatorNotes: null,
  cases: [],
  waits: null,
  reward: null,
  sample: null,
  compute: null,
  seconds: 10,
  slotWaitSeconds: 0,
  usd: null,
  tokens: null,
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: null,
  endedAt: null,
  placements: [],
  forecast: null,
  parent: null,
  children: [],
  reruns: [],
  counts: { children: 0, reruns: 0 },
  previous: null,
  next: null,
  commands: [],
  temporalUrl: null,
  ...changes,
});
const a = trial({});

describe('facts of two trials', () => {
  it('are marked if they differ, and left out if neither trial has them', () => {
    const rows = rowsOf(a, trial({ n: 2, value: 2.5, seed: 9 }));
    expect(rows.filter(({ differs }) => differs)).toEqual([
      { name: 'value', a: '3.000 nats', b: '2.500 nats', differs: true },
      { name: 'seed', a: '1', b: '9', differs: true },
    ]);
    expect(rows.some(({ name }) => name === 'cost')).toBe(false);
  });

  it('distinguish a missing value from zero', () => {
    const cost = rowsOf(a, trial({ usd: 0 })).find(({ name }) => name === 'cost');
    expect(cost).toEqual({ name: 'cost', a: null, b: '$0', differs: true });
  });

  it('have the numbers that either run gave', () => {
    const rows = rowsOf(
      trial({ metrics: [{ name: 'x', value: '1' }] }),
      trial({ metrics: [{ name: 'y', value: '2' }] }),
    );
    expect(rows.filter(({ name }) => name.startsWith('reported'))).toEqual([
      { name: 'reported x', a: '1', b: null, differs: true },
      { name: 'reported y', a: null, b: '2', differs: true },
    ]);
  });
});

describe('the difference of two values', () => {
  it('is described as better or worse', () => {
    expect(differenceOf(a, trial({ value: 2.5 }))).toBe('is 0.5000 nats better');
    const up = { name: 'score', direction: 'maximize', unit: null, optimum: null } as const;
    expect(differenceOf(trial({ metric: up, value: 1 }), trial({ metric: up, value: 2 }))).toBe('is 1.000 better');
    expect(differenceOf(a, a)).toBe('has the same value');
  });

  it('is null without a value, or for different metrics', () => {
    expect(differenceOf(a, trial({ value: null }))).toBeNull();
    expect(differenceOf(a, trial({ metric: { ...a.metric, name: 'other' } }))).toBeNull();
  });
});

it('trials of two researches are named by their ids', () => {
  expect(nameBeside(a, trial({ n: 2 }))).toBe('#1');
  expect(nameBeside(a, trial({ research: 'other' }))).toBe('demo/1');
});
