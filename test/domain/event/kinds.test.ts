import { expect, test } from 'vitest';
import { describeEvent } from '../../../domain/event/describe.ts';
import { EVENTS, type NewEvent } from '../../../domain/event/kinds.ts';

const of = { researchId: 'r' };
const by = 'gate' as const;

/** At least one event of each kind, with its sentence. */
const READS: [NewEvent, string][] = [
  [
    { ...of, kind: 'phase', data: { from: 'running', phase: 'waiting', reason: 'the disk is full' } },
    'running → waiting: the disk is full',
  ],
  [{ ...of, kind: 'phase', data: { from: 'waiting', phase: 'waiting', reason: 'no money' } }, 'waiting: no money'],
  [{ ...of, kind: 'window', data: { from: null, window: 4 } }, 'window 4'],
  [{ ...of, kind: 'window', data: { from: 4, window: 6 } }, 'window 4 → 6'],
  [
    { ...of, kind: 'lead-moved', n: 7, data: { candidateId: 'c', previous: 'b', value: 1.5, runs: 1 } },
    'the lead is now #7 at 1.5',
  ],
  [
    {
      ...of,
      kind: 'claim-made',
      n: 7,
      data: { candidateId: 'c', previous: 'b', value: 1.5, sd: 0.1, runs: 4, by, reason: 'better than 2' },
    },
    'the best is now #7 at 1.5: better than 2',
  ],
  [
    {
      ...of,
      kind: 'claim-taken-back',
      n: 7,
      data: { candidateId: 'c', inPlace: '0123456789abcdef', value: 2, by, reason: 'demoted' },
    },
    '#7 is no longer the best, the best is again 0123456789ab at 2: demoted',
  ],
  [
    {
      ...of,
      kind: 'claim-taken-back',
      n: 7,
      data: { candidateId: 'c', inPlace: '0123456789abcdef', inPlaceTrial: 4, value: 2, by, reason: 'demoted' },
    },
    '#7 is no longer the best, the best is again #4 at 2: demoted',
  ],
  [
    {
      ...of,
      kind: 'claim-taken-back',
      n: 7,
      data: { candidateId: 'c', inPlace: null, value: null, by, reason: 'it cheats' },
    },
    '#7 is no longer the best, no candidate replaces it: it cheats',
  ],
  [
    { ...of, kind: 'budget-share', data: { limit: 'trials', share: 80, spent: 48, of: 60 } },
    '80 % of budget.trials is spent: 48 of 60',
  ],
  [{ ...of, kind: 'endpoint-down', data: { why: '503' } }, 'the model endpoint is down: 503'],
  [{ ...of, kind: 'endpoint-back', data: { why: 'it answers' } }, 'the model endpoint is tried again: it answers'],
  [{ researchId: null, kind: 'host-out', data: { host: 'h', why: 'no route' } }, 'host h is in quarantine: no route'],
  [{ researchId: null, kind: 'host-back', data: { host: 'h', why: 'well' } }, 'host h is back: well'],
  [
    {
      ...of,
      kind: 'attention-appeared',
      data: { key: 'disk:worker', title: 'A disk is full', why: '1 MiB free', commands: [], since: '2026-11-30' },
    },
    'needs you: A disk is full: 1 MiB free',
  ],
  [
    { ...of, kind: 'attention-ended', data: { key: 'disk:worker', title: 'A disk is full' } },
    'no longer needs you: A disk is full',
  ],
  [
    { ...of, kind: 'task-changed', data: { from: 'a', to: 'b', task: 'toy', keptIncumbent: true, why: null } },
    'the task is now toy b, the best stays',
  ],
  [{ ...of, kind: 'continued', data: { from: 'a', to: 'b' } }, 'the research continues in workflow run b'],
  [{ ...of, kind: 'update-due', data: { k: 3, samples: 16 } }, 'update 3 of the policy is due: 16 samples have ended'],
  [
    {
      ...of,
      kind: 'update-ended',
      data: { k: 3, state: 'done', checkpoint: '0123456789abcdef', reward: 0.25, reason: null },
    },
    'update 3 made version 3 of the policy, 0123456789ab, from a mean reward of 0.25',
  ],
  [
    {
      ...of,
      kind: 'update-ended',
      data: { k: 3, state: 'refused', checkpoint: null, reward: null, reason: 'nan' },
    },
    'update 3 of the policy made no version (refused): nan',
  ],
  [
    { ...of, kind: 'gate-fired', data: { k: 3, then: 'halt', words: 'entropy fell' } },
    'a limit of the policy was crossed at update 3 (halt): entropy fell',
  ],
  [
    { ...of, kind: 'policy-set', data: { from: 3, version: 1, how: 'rolled back', by: 'person' } },
    'version of the policy in force: 3 → 1 (rolled back)',
  ],
  [
    { ...of, kind: 'trial-admitted', n: 9, data: { kind: 'confirm', candidateId: 'c', ofTrial: 7 } },
    '#9 is admitted: confirm of #7',
  ],
  [{ ...of, kind: 'trial-started', n: 9, data: { host: 'h', slot: 'h/0' } }, '#9 started on h/0'],
  [
    {
      ...of,
      kind: 'trial-ended',
      n: 9,
      data: { kind: 'search', status: 'crashed', failure: 'signal', value: null, seconds: 1 },
    },
    '#9 ended: crashed (signal)',
  ],
  [{ ...of, kind: 'trial-ruled', n: 9, data: { verdict: 'keep', reason: 'better', by } }, '#9: keep: better'],
];

test.each(READS)('%j reads as a sentence', ({ kind, n = null, data }, sentence) => {
  expect(describeEvent({ kind, n, data })).toBe(sentence);
});

test('every kind has a sentence', () => {
  expect([...new Set(READS.map(([{ kind }]) => kind))]).toEqual(Object.keys(EVENTS));
});

test.each([
  [{ kind: 'policy-learned', n: 7, data: { gain: 2 } }, 'policy-learned #7 {"gain":2}'],
  [{ kind: 'toString', n: null, data: {} }, 'toString {}'],
  [{ kind: 'window', n: null, data: { slots: 3 } }, 'window {"slots":3}'],
  [{ kind: 'window', n: null, data: null }, 'window null'],
])('%j, an event of another version, is shown as its kind and data', (event, text) => {
  expect(describeEvent(event)).toBe(text);
});
