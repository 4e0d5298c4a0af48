import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  reachableTimeout,
  watchReachability,
  type HostReachability,
} from '../../../infra/evaluate/host-reachability.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  presence.close();
  vi.useRealTimers();
});

const seconds = (many: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, many * 1000));
/** A host that is away from one second to another, and answers within 50 ms else. */
const awayFrom = (from: number, to: number) => {
  const began = performance.now();
  return async (): Promise<void> => {
    const now = (performance.now() - began) / 1000;
    await seconds(now >= from && now < to ? to - now : 0.05);
  };
};
const failsAfter = (many: number) => async (): Promise<void> => {
  await seconds(many);
  throw new Error('gone');
};
/** A conversation that lasts, with a host that is reached like that. */
const on = (reach?: () => Promise<void>) => ({
  ended: new Promise<never>(() => undefined),
  ...(reach ? { reach } : {}),
});

let presence: HostReachability;

describe('the presence of a host', () => {
  it('counts no time of one that is there, however often it is looked at', async () => {
    presence = watchReachability(on(awayFrom(Infinity, Infinity)));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(presence.outageMs()).toBe(0);
  });

  it.each([
    ['from the look before on', 10, 17],
    ['at its beginning', 0, 5],
  ])('counts the time of one that was away, %s', async (_, from, to) => {
    presence = watchReachability(on(awayFrom(from, to)));
    await vi.advanceTimersByTimeAsync(60_000);
    const away = presence.outageMs() / 1000;
    expect(away).toBeGreaterThanOrEqual(to - from);
    expect(away).toBeLessThan(to - from + 0.8);
  });

  it('counts each outage of .85 s, however often', async () => {
    const began = performance.now();
    const flickers = async (): Promise<void> => {
      const at = ((performance.now() - began) / 1000) % 3;
      await seconds(at < 0.85 ? 0.85 - at : 0.02);
    };
    presence = watchReachability(on(flickers));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(presence.outageMs()).toBeGreaterThan(10 * 850 - 900);
  });

  it('counts the time of one that failed to answer, too', async () => {
    presence = watchReachability(on(failsAfter(15)));
    await vi.advanceTimersByTimeAsync(18_000);
    expect(presence.outageMs()).toBeGreaterThanOrEqual(15_000);
  });

  it('is looked at anew by who asks, after a look that began before', async () => {
    const begun: number[] = [];
    const reach = async (): Promise<void> => {
      begun.push(performance.now());
      await seconds(0.5);
    };
    presence = watchReachability(on(reach));
    const from = performance.now();
    await vi.advanceTimersByTimeAsync(700);
    let back = 0;
    void presence.probe().then(() => (back = performance.now()));
    await vi.advanceTimersByTimeAsync(3000);
    expect(begun.slice(0, 2).map((at) => at - from)).toEqual([500, 1000]);
    expect(back - from).toBe(1500);
  });

  it('is looked at once for all who ask while another look is under way', async () => {
    const reach = vi.fn(() => seconds(0.5));
    presence = watchReachability(on(reach));
    await vi.advanceTimersByTimeAsync(600);
    const looks = Promise.all([presence.probe(), presence.probe(), presence.probe()]);
    await vi.advanceTimersByTimeAsync(850);
    expect(reach).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(100);
    await looks;
  });

  it('counts the time of one that is far only until that is known', async () => {
    presence = watchReachability(on(async () => seconds(1.4)));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(presence.outageMs()).toBeLessThan(9000);
  });

  it('is looked at no more once that is over', async () => {
    const reach = vi.fn(async () => undefined);
    presence = watchReachability(on(reach));
    await vi.advanceTimersByTimeAsync(5000);
    const before = reach.mock.calls.length;
    expect(before).toBeGreaterThan(0);
    presence.close();
    await presence.probe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reach).toHaveBeenCalledTimes(before);
  });
});

describe('a time that counts while a host is there', () => {
  it.each([
    ['over in the middle of it', 2, 6],
    ['not over at its end', 8, 15],
  ])('is up later by an outage that is %s', async (_, from, to) => {
    const began = performance.now();
    presence = watchReachability(on(awayFrom(from, to)));
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue).toHaveBeenCalledOnce();
    const late = Number(onDue.mock.results[0]?.value) - 10_000 - (to - from) * 1000;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(2200);
  });

  it('is up later by an outage that is shorter than the pause between two looks', async () => {
    const began = performance.now();
    presence = watchReachability(on(awayFrom(4.42, 5.1)));
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(presence.outageMs()).toBe(0);
    expect(Number(onDue.mock.results[0]?.value)).toBeGreaterThanOrEqual(10_680);
  });

  it('is not up later by an outage before it', async () => {
    presence = watchReachability(on(awayFrom(1, 6)));
    await vi.advanceTimersByTimeAsync(8000);
    const began = performance.now();
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(Number(onDue.mock.results[0]?.value)).toBeLessThan(11_000);
  });

  it('is up where that host is gone, once the conversation is over', async () => {
    const began = performance.now();
    let lose = (): void => undefined;
    const ended = new Promise<never>((_, reject) => (lose = () => reject(new Error('lost'))));
    presence = watchReachability({ roundTrip: () => new Promise(() => undefined), ended });
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(onDue).not.toHaveBeenCalled();
    lose();
    await vi.advanceTimersByTimeAsync(1);
    expect(onDue).toHaveBeenCalledOnce();
  });

  it.each([
    ['far', () => seconds(1.2)],
    ['never there', failsAfter(20)],
  ])('is up by its own limit where that host is %s', async (_, reach) => {
    const began = performance.now();
    presence = watchReachability(on(reach));
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: 60_000 }, onDue);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(Number(onDue.mock.results[0]?.value)).toBeLessThan(95_000);
  });

  it('is not up by outages, however many, where it has no such limit', async () => {
    const began = performance.now();
    // Fifteen seconds of twenty, ten times.
    const flickers = async (): Promise<void> => {
      const at = ((performance.now() - began) / 1000) % 20;
      await seconds(performance.now() - began < 200_000 && at < 15 ? 15 - at : 0.05);
    };
    presence = watchReachability(on(flickers));
    await vi.advanceTimersByTimeAsync(150_000);
    const onDue = vi.fn();
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    // Five of them there, and behind the end of an outage.
    await vi.advanceTimersByTimeAsync(27_000);
    expect(onDue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue).toHaveBeenCalledOnce();
  });

  it('is not up while a look at that host does not come back, before it was away for as long as it may be', async () => {
    presence = watchReachability(on(() => new Promise<void>(() => undefined)));
    const onDue = vi.fn();
    reachableTimeout(10_000, { reachability: presence, most: 100_000 }, onDue);
    await vi.advanceTimersByTimeAsync(75_000);
    expect(onDue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(160_000);
    expect(onDue).toHaveBeenCalledOnce();
  });

  it.each([
    ['in it', 12, false],
    ['before it', 0, true],
  ])('is up fairly unless that host was away for longer than it may be %s: %s s', async (_, at, isFair) => {
    presence = watchReachability(on(awayFrom(at + 1, at + 6)));
    await vi.advanceTimersByTimeAsync(10_000);
    const onDue = vi.fn();
    reachableTimeout(10_000, { reachability: presence, most: 2000 }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue.mock.calls).toEqual([[isFair]]);
  });

  it('is never up once it was taken back, be it while the host is looked at', async () => {
    presence = watchReachability(on(awayFrom(9, 20)));
    const onDue = vi.fn();
    const { clear } = reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(12_000);
    clear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue).not.toHaveBeenCalled();
  });
});

it('this machine is always there', async () => {
  vi.useRealTimers();
  presence = watchReachability(on());
  await presence.probe();
  const onDue = vi.fn();
  reachableTimeout(10, { reachability: presence, most: Infinity }, onDue);
  await expect.poll(() => onDue.mock.calls.length).toBe(1);
  expect([presence.outageMs(), presence.unobservedMs]).toEqual([0, 0]);
});
