import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KEPT_ALL } from '../../../../domain/abort/thinning.ts';
import { at, openFollower, type Opened } from '../support/open-follower.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A follower, with its commits and the times of its points. */
function open(opened: Opened) {
  const { follower, saved } = openFollower(opened);
  /** Reads steps at `now`. None of them was printed before `since`. */
  const read = (steps: number[], { now, since }: { now: number; since: number | null }): void => {
    vi.setSystemTime(at(now));
    const chunk = Buffer.from(steps.map((step) => `${step} 1\n`).join(''));
    follower.push({ chunk, since: since === null ? null : at(since) }, () => undefined);
  };
  return { follower, saved, read, times: () => follower.points.map(({ elapsed }) => elapsed) };
}

test('a line that is read as it comes has the time at which it is read', () => {
  const { read, times } = open({});
  read([1], { now: 1, since: null });
  read([2, 3], { now: 30, since: 29 });
  expect(times()).toEqual([1, 30, 30]);
});

test('lines printed before a worker followed the run get no time, in any number of chunks; later lines get one', () => {
  const { read, times } = open({});
  read([1, 2], { now: 12, since: null });
  read([3], { now: 12.5, since: null });
  read([4], { now: 13, since: 12.5 });
  read([5], { now: 30, since: 14 });
  read([6], { now: 31, since: 30.5 });
  expect(times()).toEqual([NaN, NaN, NaN, 13, NaN, 31]);
});

test('lines that waited briefly, compared with the budget, keep the time at which they are read', () => {
  const { read, times } = open({ seconds: 3600 });
  read([1], { now: 70, since: null });
  expect(times()).toEqual([70]);
});

test('a follower that takes over measures the wait from the last check that found all output read', async () => {
  const first = open({});
  first.read([1], { now: 3, since: 2.5 });
  first.read([2], { now: 20, since: 4 });
  await first.follower.flush();
  const { reader, to } = first.saved.at(-1)!;
  const run = { logOffset: to, reader: JSON.parse(JSON.stringify(reader)) as unknown };
  const next = open({ run });
  next.read([3], { now: 21, since: null });
  expect(next.times()).toEqual([NaN]);
});

test('a curve that no rule needs is committed and not kept', async () => {
  const { follower, read, saved } = open({ curve: null });
  read([1, 2], { now: 1, since: null });
  await follower.flush();
  expect(follower.points).toEqual([]);
  expect(saved.flatMap(({ points }) => points.map(({ step }) => step))).toEqual([1, 2]);
});

test('a flood of lines at first does not hide later ones, even from the next follower', async () => {
  const first = open({ seconds: 1000 });
  const steps = (from: number, n: number) => Array.from({ length: n }, (_, i) => from + i);
  first.read(steps(0, KEPT_ALL + 500), { now: 20, since: 19 });
  first.read([300_000, 300_001], { now: 500, since: 499 });
  await first.follower.flush();
  expect(first.follower.points.slice(KEPT_ALL).map(({ step }) => step)).toEqual([KEPT_ALL, 300_000]);
  const { reader, to } = first.saved.at(-1)!;
  const next = open({ seconds: 1000, run: { logOffset: to, reader: JSON.parse(JSON.stringify(reader)) as unknown } });
  next.read([300_002], { now: 500.5, since: 500 });
  next.read([300_003], { now: 600, since: 599 });
  await next.follower.flush();
  expect(next.saved.flatMap(({ points }) => points)).toMatchObject([
    { seq: KEPT_ALL + 2, step: 300_003, elapsed: 600 },
  ]);
});

/** A follower of a run that may be silent for ten seconds, with clocks that the test moves. */
function watched() {
  const { follower } = open({ stallSeconds: 10 });
  let monotone = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => monotone * 1000);
  return {
    /** Advances both clocks by `seconds`, and the wall clock by `jump` more. */
    pass: (seconds: number, jump = 0) => {
      monotone += seconds;
      vi.setSystemTime(Date.now() + (seconds + jump) * 1000);
    },
    poll: () => follower.markPolled(),
    print: (text: string) => follower.push({ chunk: Buffer.from(text), since: null }, () => undefined),
    broken: () => follower.broken()?.label ?? null,
  };
}

test('a run that prints nothing counts as stalled at the first poll after the stated time, not earlier', () => {
  const { pass, poll, broken } = watched();
  poll();
  for (let second = 0; second < 9; second += 1) {
    pass(1);
    poll();
  }
  expect(broken()).toBeNull();
  pass(1);
  expect(broken()).toBeNull();
  poll();
  expect(broken()).toBe('stalled');
});

test.each([
  ['a worker that froze', 3600, 0],
  ['a machine that slept', 0.5, 3600],
  ['a wall clock that was set forward', 1, 3600],
])('%s makes no run look stalled', (_, seconds, jump) => {
  const { pass, poll, broken } = watched();
  poll();
  pass(seconds, jump);
  expect(broken()).toBeNull();
  poll();
  expect(broken()).toBeNull();
});

test('a gap between two polls counts as three seconds at most', () => {
  const { pass, poll, broken } = watched();
  poll();
  for (const gap of [100, 3, 1000]) {
    pass(gap);
    poll();
  }
  expect(broken()).toBeNull();
  pass(1);
  poll();
  expect(broken()).toBe('stalled');
});

test.each([
  ['carriage returns', '\r 10%|#'],
  ['backspaces', '\b\b\b10%'],
  ['cursor codes', '\x1b[2K\x1b[1G10%'],
  ['empty lines', '\n'],
])('output of %s counts as progress, not as silence', (_, state) => {
  const { pass, poll, print, broken } = watched();
  for (let second = 0; second < 30; second += 1) {
    print(state);
    pass(1);
    poll();
    expect(broken()).toBeNull();
  }
});

test('a line ends a silence, half a line does not', () => {
  const { pass, poll, print, broken } = watched();
  print('1 1\n');
  for (let gap = 0; gap < 3; gap += 1) {
    pass(3);
    poll();
  }
  print('2 ');
  expect(broken()).toBeNull();
  pass(1);
  poll();
  expect(broken()).toBe('stalled');
  print('1\n');
  expect(broken()).toBeNull();
});
