import { expect, test } from 'vitest';
import { describeAbort } from '../../../cli/render/early-abort.ts';
import { estimate } from '../../../domain/abort/audit/estimate.ts';

const audits = (n: number) =>
  estimate(
    Array.from({ length: n }, () => ({ good: false, probability: 1 })),
    0.02,
  );

test.each([
  [0, 0, 0, '0 runs stopped; none audited yet'],
  [1, 60, 0, '1 run stopped, 1 min of slots saved; none audited yet'],
  [0, 0, 30, '0 runs stopped; audited 30, 0 of them wrong (0 % to 11.6 %): too few to say'],
])('%d stopped runs, %d s saved and %d audits are told in a line', (stopped, savedSeconds, audited, line) => {
  expect(describeAbort({ stopped, savedSeconds, audit: audits(audited) })).toBe(line);
});
