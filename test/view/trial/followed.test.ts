import { describe, expect, test } from 'vitest';
import { hasEnded, isSettled, type Followed } from '../../../domain/mcp/followed.ts';
import { describeFollowed } from '../../../view/trial/followed.ts';

type Trial = NonNullable<Followed['trial']>;

const TRIAL: Trial = {
  n: 12,
  kind: 'injected',
  status: 'completed',
  verdict: 'keep',
  value: 1.5,
  trusted: true,
  failure: null,
  reason: 'better than 2.2',
  now: null,
  held: false,
};
const of = (trial: Partial<Trial> | null, research: Partial<Followed['research']> = {}): Followed => ({
  key: 'mine',
  trial: trial === null ? null : { ...TRIAL, ...trial },
  research: { id: 'x', phase: 'running', reason: null, ...research },
});

describe('a wait', () => {
  test.each<[string, Followed, boolean, boolean]>([
    ['for an idea without a trial goes on', of(null), false, false],
    ['for an open trial goes on', of({ status: null, verdict: null }), false, false],
    ['for a claim is over', of({}), true, true],
    ['for an absorbed change is over', of({ verdict: 'absorbed' }), true, true],
    ['for a change that more runs decide is over only for its outcome', of({ verdict: 'confirm' }), true, false],
    ['for a held result is over only for its outcome', of({ verdict: 'none', held: true }), true, false],
    ['for a known candidate, which gets no verdict, is over', of({ verdict: 'none' }), true, true],
    ['for a crash is over', of({ status: 'crashed', verdict: 'discard', value: null }), true, true],
    ['for a copy is over', of({ status: 'cached', verdict: 'none', value: null }), true, true],
    ['for a baseline run is over', of({ kind: 'baseline', verdict: 'none' }), true, true],
  ])('%s', (_, followed, outcome, verdict) => {
    expect({ outcome: isSettled(followed, 'outcome'), verdict: isSettled(followed, 'verdict') }).toEqual({
      outcome,
      verdict,
    });
  });

  test('ends with the research', () => {
    expect(hasEnded(of(null, { phase: 'stopped' }))).toBe(true);
    expect(hasEnded(of(null, { phase: 'paused' }))).toBe(false);
  });
});

test.each<[Followed, string]>([
  [of(null), 'The idea waits for its trial.'],
  [
    of(null, { phase: 'paused', reason: 'paused by a person' }),
    'The idea waits for its trial. The research x is paused: paused by a person.',
  ],
  [of({ status: null, now: 'running on local/0, step 3' }), 'Trial x/12 is under way: running on local/0, step 3.'],
  [of({}), 'Trial x/12 ended: keep, 1.500 bits (better than 2.2).'],
  [
    of({
      status: 'crashed',
      failure: 'exit-code',
      verdict: 'discard',
      value: null,
      reason: 'expected 0,\n\x1b[31mgot 1',
    }),
    'Trial x/12 ended: exit-code (expected 0, got 1).',
  ],
  [
    of({ verdict: 'confirm', reason: null }),
    'Trial x/12 has run, 1.500 bits: it looks better, and more runs decide whether the gain is more than luck.',
  ],
  [
    of({ verdict: 'none', held: true, reason: null }, { phase: 'stopped', reason: 'stopped by a person' }),
    'Trial x/12 has run, 1.500 bits: it has no verdict yet; until the baseline is measured, results are held. ' +
      'The research x is stopped: stopped by a person. Nothing more happens until it is started again.',
  ],
])('a trial is described in a sentence: %#', (followed, text) => {
  expect(describeFollowed(followed, 'bits')).toBe(text);
});
