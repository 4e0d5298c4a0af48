import { describe, expect, test } from 'vitest';
import { createGuardedReader } from '../../../../activities/monitor/follow/guarded-reader.ts';
import { createPointReader } from '../../../../domain/metric/read-points.ts';
import { Progress } from '../../../../domain/schema/metric.ts';
import { withinTime } from '../../../../infra/within-time.ts';

/** An ordinary pattern for a progress bar, and a line on which it never ends. */
const progress = Progress.parse({ pattern: '(?<step>\\d+)/\\d+.*loss[:=]\\s*(?<value>\\S+)' });
const ENDLESS = `${'1'.repeat(8000)}/${'1'.repeat(8000)}`;
const honest = (step: number): string => `${step}/9 loss=${step / 10}`;

const open = (skipped = 0) => createGuardedReader({ reader: createPointReader(progress), withinTime, skipped });

describe('a line on which the pattern never ends', () => {
  test('is no point, and the lines around it are', () => {
    const reader = open();
    expect(reader.read([honest(1), ENDLESS, honest(2)])).toEqual([
      { step: 1, value: 0.1 },
      null,
      { step: 2, value: 0.2 },
    ]);
    expect(reader.skipped).toBe(1);
  });

  test('is the last line that is read if it is the third', () => {
    const reader = open(2);
    expect(reader.read([ENDLESS, honest(1)])).toEqual([null, null]);
    expect(reader.skipped).toBe(3);
    expect(reader.read([honest(2)])).toEqual([null]);
  });
});

test('ten thousand honest lines are ten thousand points', () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => honest(i));
  expect(
    open()
      .read(lines)
      .filter((point) => point === null),
  ).toEqual([]);
});
