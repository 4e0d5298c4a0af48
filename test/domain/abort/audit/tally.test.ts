import { expect, test } from 'vitest';
import { tallyAborts, type JudgedRuns } from '../../../../domain/abort/audit/tally.ts';

/** Runs that a rule let go on and that did not beat their incumbent. */
const judged = (change: Partial<JudgedRuns>): JudgedRuns => ({
  runs: 1,
  wanted: false,
  audited: false,
  auditProbability: null,
  failed: false,
  measured: true,
  side: 1,
  leftSeconds: 0,
  direction: 'minimize',
  target: 0.02,
  ...change,
});
const audited = { wanted: true, audited: true, auditProbability: 1 };

test('a research without judged runs has no tally', () => expect(tallyAborts([])).toBeNull());

test('stopped runs are counted with the time that they had left, without audited ones', () => {
  const stopped = judged({ runs: 3, wanted: true, auditProbability: 0.5, side: null, leftSeconds: 30 });
  expect(tallyAborts([stopped, judged({ ...audited, leftSeconds: 9 })])).toMatchObject({
    stopped: 3,
    savedSeconds: 30,
    audit: { audited: 1, wrong: 0 },
  });
});

test('an audited run that beat its incumbent is a wrong stop', () => {
  const runs = (direction: JudgedRuns['direction']) => [
    judged({ ...audited, side: -1, direction }),
    judged({ side: -1, direction }),
    judged({ side: 1, direction, runs: 2 }),
    judged({ side: 0, direction, runs: 5 }),
  ];
  expect(tallyAborts(runs('minimize'))).toMatchObject({ audit: { audited: 1, wrong: 1, falseAborts: 0.5 } });
  expect(tallyAborts(runs('maximize'))).toMatchObject({ audit: { audited: 1, wrong: 0, falseAborts: 0 } });
});

test('stopped runs count as would-be stops whose end is unknown', () => {
  const stopped = judged({ runs: 19, wanted: true, auditProbability: 0.05, side: null });
  const wrong = judged({ ...audited, auditProbability: 0.05, side: -1 });
  const limit = (runs: JudgedRuns[]) => tallyAborts(runs)?.audit.wrongStopsLow ?? 0;
  expect(limit([wrong])).toBeGreaterThan(limit([stopped, wrong]));
  expect(limit([stopped, wrong])).toBeGreaterThan(0);
  expect(tallyAborts([stopped])).toMatchObject({ stopped: 19, audit: { audited: 0, wrongStops: null } });
});

test('the error target of versions together is the mean of their targets, weighted by their audits', () => {
  const strict = judged({ ...audited, runs: 100, target: 0.001 });
  // No wrong stop among 200: at most 1.8 %, with 95 % confidence.
  const verdict = (target: number) => {
    const other = judged({ ...audited, runs: 100, target });
    return tallyAborts([strict, other])?.audit.verdict;
  };
  expect([verdict(0.02), verdict(0.06)]).toEqual(['too few to say', 'wrong stops below target']);
});

test('an audited run that failed did not end well; the end of a lost or stopped one is unknown', () => {
  const failed = judged({ ...audited, side: null, failed: true, runs: 3 });
  const lost = judged({ ...audited, side: null, runs: 5 });
  const wrong = judged({ ...audited, side: -1 });
  expect(tallyAborts([failed, lost, wrong])).toMatchObject({ audit: { audited: 4, wrong: 1, wrongStops: 0.25 } });
});

test('runs without an incumbent to beat count for no error, stopped or audited, however they ended', () => {
  const without = { measured: false, side: null, auditProbability: 0.5, wanted: true };
  const stopped = judged({ ...without, runs: 50, leftSeconds: 10 });
  const found = tallyAborts([stopped, judged({ ...without, audited: true, failed: true }), judged(audited)]);
  expect(found).toMatchObject({ stopped: 50, savedSeconds: 10, audit: { audited: 1 } });
  expect(found?.audit).toEqual(tallyAborts([judged(audited)])?.audit);
});
