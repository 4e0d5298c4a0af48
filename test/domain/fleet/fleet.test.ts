import { describe, expect, it, test } from 'vitest';
import { createFailureLimit } from '../../../domain/fleet/failure-limit.ts';
import { createStreakCounter } from '../../../domain/fleet/streak-counter.ts';
import { hadOutage } from '../../../domain/fleet/network-outage.ts';
import { type JobWait, PREPARING_PREFIXES, preparationWait } from '../../../domain/fleet/preparing.ts';
import { describeHardware, describeOwnHardware } from '../../../domain/fleet/describe-hardware.ts';

describe('a limit of ten minutes of failures', () => {
  /** For each failure at these seconds: true if the failures have then reached the limit. */
  function limitReached(
    seconds: number[],
    { key = () => 'run', forgetMs }: { key?: (index: number) => string; forgetMs?: number } = {},
  ): boolean[] {
    const limit = createFailureLimit(600_000, forgetMs === undefined ? {} : { forgetMs });
    return seconds.map((at, index) => limit.isOver(key(index), at * 1000));
  }

  test('is reached by a run that fails every few seconds for ten minutes', () => {
    const seconds = Array.from({ length: 201 }, (_, n) => n * 3);
    expect(limitReached(seconds).indexOf(true)).toBe(200);
  });

  test('starts again after a success, even if the run failed often before', () => {
    const outage = Array.from({ length: 150 }, (_, n) => n * 3);
    const later = outage.map((at) => at + 4000);
    expect(limitReached([...outage, ...later, 9000])).not.toContain(true);
  });

  test('is reached by the tenth failure if the run takes minutes to fail', () => {
    const slow = Array.from({ length: 12 }, (_, n) => n * 300);
    expect(limitReached(slow).indexOf(true)).toBe(9);
  });

  test('is reached by the tenth failure after hours each, too, unless forgetMs counts such a pause as success', () => {
    const hourly = Array.from({ length: 40 }, (_, n) => n * 4000);
    expect(limitReached(hourly).indexOf(true)).toBe(9);
    expect(limitReached(hourly, { forgetMs: 3_600_000 })).not.toContain(true);
    const more = hourly.map((at) => at / 2);
    expect(limitReached(more, { forgetMs: 3_600_000 }).indexOf(true)).toBe(9);
  });

  test('does not count failures of other runs', () => {
    const seconds = Array.from({ length: 400 }, (_, n) => n * 3);
    expect(limitReached(seconds, { key: (index) => `run ${Math.floor(index / 100)}` })).not.toContain(true);
  });
});

describe('a streak counter', () => {
  const HOUR_MS = 3_600_000;

  test('counts each key separately, until its streak ends', () => {
    const tally = createStreakCounter();
    expect([tally.add('a', 0), tally.add('b', 0), tally.add('a', 1)]).toEqual([1, 1, 2]);
    expect([tally.firstOf('a'), tally.firstOf('c')]).toEqual([0, undefined]);
    tally.forget('a');
    expect([tally.add('a', 2), tally.add('b', 2)]).toEqual([1, 2]);
    expect(tally.firstOf('a')).toBe(2);
  });

  test('forgets a key after two days without an addition', () => {
    const tally = createStreakCounter();
    tally.add('a', 0);
    tally.add('b', 0);
    expect(tally.add('b', 40 * HOUR_MS)).toBe(2);
    expect([tally.add('a', 49 * HOUR_MS), tally.add('b', 49 * HOUR_MS)]).toEqual([1, 3]);
  });
});

describe('a round trip to a host', () => {
  it.each([
    ['is short', 40, [40, 50, 45]],
    ['is short, and the first', 40, []],
    ['is as long as always: that host is far, or its login slow', 3200, [3000, 3100, 3050, 2990]],
    ['is as long as usual, though one was quick', 450, [400, 50, 410, 420, 400]],
  ])('had no outage if it %s', (_, took, before) => expect(hadOutage(took, before)).toBe(false));

  it.each([
    ['is the first one', 6050, []],
    ['is the next one after an outage', 5000, [6050]],
    ['is longer than usual by a third of a second', 360, [50, 40, 45]],
    ['is longer than usual, though half of the trips before had an outage, too', 1300, [45, 1400, 50, 1200, 40, 1350]],
  ])('had an outage if it is long and %s', (_, took, before) => expect(hadOutage(took, before)).toBe(true));
});

describe('a preparation', () => {
  const isPreparing = (wait: JobWait): boolean => PREPARING_PREFIXES.some((words) => wait.startsWith(words));

  test('a wait for the preparation of a host is distinguished from one for room by its first words', () => {
    expect(isPreparing(preparationWait('Python', 'box'))).toBe(true);
    expect(isPreparing(`${preparationWait('setup', 'box')}: fetching`)).toBe(true);
    expect(isPreparing('room on its host: disk: 0 MiB free')).toBe(false);
    // @ts-expect-error The type allows no other text, since one might begin like that of a preparation.
    expect(isPreparing('its turn')).toBe(false);
  });
});

describe('hardware in words', () => {
  const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_559 });
  const facts = { cores: 24, memoryMb: 96_000, gpus: [gpu(0), gpu(1)] };

  it('describes the resources of a run on the hosts of a pool, once for equal hosts', () => {
    const hosts = [{ facts, poolSpec: { slots: 'gpu' as const, env: {} } }];
    expect(describeHardware([...hosts, ...hosts])).toEqual([
      'one GPU (H100 with 81559 MB) of a host of 24 cores and 96000 MB of memory',
    ]);
    expect(
      describeHardware([{ facts: { ...facts, gpus: [] }, poolSpec: { slots: 'cpu', cores: 2, env: {} } }]),
    ).toEqual(['2 cores of a host of 24 cores and 96000 MB of memory, no GPU']);
    expect(describeHardware([{ facts: null, poolSpec: { slots: 'cpu', env: {} } }])).toEqual([]);
    expect(describeOwnHardware({ cores: 8, slots: 7 })).toBe('one of 7 runs at a time on 8 cores, no GPU');
  });
});
