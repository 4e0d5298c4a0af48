import { describe, expect, it } from 'vitest';
import { computeOf, describeCompute } from '../../../view/rows/compute.ts';
import { describeBest } from '../../../view/rows/best.ts';
import { VIEW } from '../support/view.ts';

describe('the compute of the best', () => {
  it.each([
    [2.7, '2.7 × the compute'],
    [18.2, '18 × the compute'],
    [0.6, '0.60 × the compute'],
    [1.12, '1.1 × the compute'],
    [1.08, null],
    [1, null],
  ])('of %d times the baseline is shown as %j', (times, shown) => {
    expect(describeCompute({ times, more: 10 * (times - 1), of: 'cpu' })).toBe(shown);
  });

  it('is not shown if the difference is as small as the start of a program', () => {
    expect(describeCompute({ times: 1.6, more: 0.06, of: 'cpu' })).toBeNull();
  });

  const used = { seconds: 30, cpuSeconds: 8.1 };
  const baseline = { seconds: 10, cpuSeconds: 3 };

  it('is in CPU seconds, or in wall clock if the budget is', () => {
    expect(computeOf({ kind: 'cpu' }, { used, baseline })).toEqual({
      times: expect.closeTo(2.7, 9),
      more: expect.closeTo(5.1, 9),
      of: 'cpu',
    });
    expect(computeOf({ kind: 'reference' }, { used, baseline })?.of).toBe('cpu');
    expect(computeOf({ kind: 'wall' }, { used, baseline })).toEqual({ times: 3, more: 20, of: 'wall' });
  });

  it('is unknown if one of the two has no scored run, or no measured seconds', () => {
    expect(computeOf({ kind: 'cpu' }, { used, baseline: undefined })).toBeNull();
    expect(computeOf({ kind: 'cpu' }, { used, baseline: { ...baseline, cpuSeconds: null } })).toBeNull();
  });

  it('is shown with the gain, or with the best if there is no gain', () => {
    const compute = { times: 2.7, more: 5, of: 'cpu' as const };
    expect(describeBest({ ...VIEW, compute })).toContain('gain +0.70 = +3.5 sd of one run, with 2.7 × the compute');
    const { best, baseline: measured } = VIEW;
    expect(describeBest({ best, baseline: measured, compute })).toMatch(/ · with 2\.7 × the compute$/);
  });
});
