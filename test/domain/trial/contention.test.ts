import { describe, expect, test } from 'vitest';
import { describeContention, lackedTime, sharedCore } from '../../../domain/trial/contention.ts';
import type { ReportedEnd } from '../../../domain/trial/outcome.ts';

const GOOD: ReportedEnd = { reason: 'exit', exitCode: 0, signal: null, wallSeconds: 3, cpuSeconds: 2.9 };

describe('a run on CPU seconds that ended well', () => {
  const HALF = { ...GOOD, wallSeconds: 10, cpuSeconds: 5, waitSeconds: 5 };

  test('shared its core if other processes had its core for a tenth of its time', () => {
    expect(sharedCore(HALF)).toBe(true);
    expect(sharedCore({ ...HALF, cpuSeconds: 8.99, waitSeconds: 1.01 })).toBe(true);
    expect(sharedCore({ ...HALF, cpuSeconds: 9, waitSeconds: 1 })).toBe(false);
  });

  test('did not share its core if it slept, or waited for anything but a CPU', () => {
    expect(sharedCore({ ...HALF, cpuSeconds: 0.05, waitSeconds: 0.02 })).toBe(false);
    expect(sharedCore({ ...HALF, waitSeconds: 0 })).toBe(false);
    expect(sharedCore({ ...HALF, waitSeconds: 0.99 })).toBe(false);
  });

  test('cannot sleep to seem to share its core', () => {
    const computed = { ...GOOD, wallSeconds: 10, cpuSeconds: 9.2, waitSeconds: 0.8 };
    for (const slept of [0, 1, 10, 100])
      expect(sharedCore({ ...computed, wallSeconds: computed.wallSeconds + slept })).toBe(false);
  });

  test('shared its core though it slept, if other processes had its core for a tenth of its whole time', () => {
    expect(sharedCore({ ...HALF, cpuSeconds: 2, waitSeconds: 1.1 })).toBe(true);
  });

  test('did not share its core if its wait is unknown', () => {
    expect(sharedCore({ ...HALF, waitSeconds: undefined })).toBe(false);
  });

  test('did not share its core if it is too short, or ended badly', () => {
    expect(sharedCore({ ...HALF, wallSeconds: 0.99, cpuSeconds: 0.1, waitSeconds: 0.8 })).toBe(false);
    expect(sharedCore({ ...HALF, wallSeconds: 2, cpuSeconds: 1, waitSeconds: 0.49 })).toBe(false);
    expect(sharedCore({ ...HALF, wallSeconds: 2, cpuSeconds: 1, waitSeconds: 0.5 })).toBe(true);
    expect(sharedCore({ ...HALF, exitCode: 1 })).toBe(false);
    expect(sharedCore({ ...HALF, reason: 'wall' })).toBe(false);
  });
});

test('a run lacked time only if its time limit ended it by the backstop', () => {
  expect(lackedTime({ ...GOOD, reason: 'wall', backstop: true })).toBe(true);
  expect(lackedTime({ ...GOOD, reason: 'wall', waitSeconds: 2.9 })).toBe(false);
  expect(lackedTime({ ...GOOD, reason: 'killed', backstop: true })).toBe(false);
});

test('the contention of a run is described with the load of its machine, if that is known', () => {
  const end = { ...GOOD, wallSeconds: 144, waitSeconds: 121.4 };
  expect(describeContention({ ...end, load: { average: 11.58, cores: 2 } })).toBe(
    'other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s; load 11.58 on 2 cores',
  );
  expect(describeContention(end)).toBe('other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s');
});
