import { expect, test } from 'vitest';
import { runsToCalibrate } from '../../../../domain/gate/claim/calibrate.ts';
import { KEEP_POLICIES, KEEPS } from '../../../../domain/search/keep.ts';
import { CONFIG } from '../support.ts';

test.each(KEEP_POLICIES)(
  '%s runs the unmodified candidate as often as it is asked, and no less than its table says',
  (policy) => {
    const runs = (baselineRuns: number) => runsToCalibrate({ ...CONFIG, policy, baselineRuns });
    expect(runs(50)).toBe(50);
    expect(runs(1)).toBe(KEEPS[policy].leastAsked);
  },
);

test('noise is told from three runs at the least', () => {
  expect([KEEPS.strict.leastAsked, KEEPS['noise-gated'].leastAsked]).toEqual([1, 3]);
});
