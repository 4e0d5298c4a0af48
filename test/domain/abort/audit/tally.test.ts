import { expect, test } from 'vitest';
import { tally } from '../../../../domain/abort/audit/tally.ts';
import type { AbortRecord } from '../../../../domain/abort/record.ts';

const record = (change: Partial<AbortRecord>): AbortRecord => ({
  rule: 'matched-time',
  abort: false,
  audited: false,
  auditProbability: null,
  share: 0.95,
  forecast: null,
  interval: null,
  reason: '',
  incumbent: 1,
  strictness: 1,
  elapsed: 95,
  ...change,
});
const plan = { direction: 'minimize', target: 0.02 } as const;

test('a research whose runs nobody judged has no tally', () => expect(tally([], plan)).toBeNull());

test('a stopped run saves what it had left at its pace, and an audited one saves nothing', () => {
  const wish = { abort: true, share: 0.25, elapsed: 10, auditProbability: 0.5 };
  const counted = tally(
    [
      { record: record(wish), value: null },
      { record: record({ ...wish, audited: true }), value: 1.2 },
    ],
    plan,
  );
  expect(counted).toMatchObject({ stopped: 1, savedSeconds: 30, audit: { audited: 1, wrong: 0 } });
});

test('an audited run that beat what it was judged by was wished away wrongly', () => {
  const wish = record({ abort: true, audited: true, auditProbability: 1, share: 0.5 });
  const runs = [
    { record: wish, value: 0.9 },
    { record: record({}), value: 0.8 },
    { record: record({}), value: 1.5 },
  ];
  expect(tally(runs, plan)).toMatchObject({ audit: { audited: 1, wrong: 1, falseAborts: 0.5 } });
  expect(tally(runs, { ...plan, direction: 'maximize' })).toMatchObject({ audit: { audited: 1, wrong: 0 } });
});
