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

const seconds = (count: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, count * 1000));

/** A round trip to a host that is away from one second to another, and otherwise answers within 50 ms. */
const awayFrom = (from: number, end: number) => {
  const began = performance.now();
  return async (): Promise<void> => {
    const now = (performance.now() - began) / 1000;
    await seconds(now >= from && now < end ? end - now : 0.05);
  };
};
const failsAfter = (many: number) => async (): Promise<void> => {
  await seconds(many);
  throw new Error('gone');
};
/** A conversation that does not end, with a host that has this round trip. */
const conversation = (roundTrip?: () => Promise<void>) => ({
  ended: new Promise<never>(() => undefined),
  ...(roundTrip ? { roundTrip } : {}),
});

let presence: HostReachability;

describe('the reachability of a host', () => {
  it('counts no outage of a host that answers, however often it is probed', async () => {
    presence = watchReachability(conversation(awayFrom(Infinity, Infinity)));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(presence.outageMs()).toBe(0);
  });

  it.each([
    ['from the previous probe on', 10, 17],
    ['at the start', 0, 5],
  ])('counts an outage %s', async (_, from, end) => {
    presence = watchReachability(conversation(awayFrom(from, end)));
    await vi.advanceTimersByTimeAsync(60_000);
    const away = presence.outageMs() / 1000;
    expect(away).toBeGreaterThanOrEqual(end - from);
    expect(away).toBeLessThan(end - from + 0.8);
  });

  it('counts each outage of .85 s, however often', async () => {
    const began = performance.now();
    const flickers = async (): Promise<void> => {
      const at = ((performance.now() - began) / 1000) % 3;
      await seconds(at < 0.85 ? 0.85 - at : 0.02);
    };
    presence = watchReachability(conversation(flickers));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(presence.outageMs()).toBeGreaterThan(10 * 850 - 900);
  });

  it('counts the time of a probe that failed, too', async () => {
    presence = watchReachability(conversation(failsAfter(15)));
    await vi.advanceTimersByTimeAsync(18_000);
    expect(presence.outageMs()).toBeGreaterThanOrEqual(15_000);
  });

  it('is probed again on request, after the probe that is under way', async () => {
    const begun: number[] = [];
    const reach = async (): Promise<void> => {
      begun.push(performance.now());
      await seconds(0.5);
    };
    presence = watchReachability(conversation(reach));
    const from = performance.now();
    await vi.advanceTimersByTimeAsync(700);
    let back = 0;
    void presence.probe().then(() => (back = performance.now()));
    await vi.advanceTimersByTimeAsync(3000);
    expect(begun.slice(0, 2).map((at) => at - from)).toEqual([500, 1000]);
    expect(back - from).toBe(1500);
  });

  it('is probed once for all requests during the probe that is under way', async () => {
    const reach = vi.fn(() => seconds(0.5));
    presence = watchReachability(conversation(reach));
    await vi.advanceTimersByTimeAsync(600);
    const probes = Promise.all([presence.probe(), presence.probe(), presence.probe()]);
    await vi.advanceTimersByTimeAsync(850);
    expect(reach).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(100);
    await probes;
  });

  it('counts the long round trip of a distant host only until the round trip is known', async () => {
    presence = watchReachability(conversation(async () => seconds(1.4)));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(presence.outageMs()).toBeLessThan(9000);
  });

  it('is not probed after close()', async () => {
    const reach = vi.fn(async () => undefined);
    presence = watchReachability(conversation(reach));
    await vi.advanceTimersByTimeAsync(5000);
    const before = reach.mock.calls.length;
    expect(before).toBeGreaterThan(0);
    presence.close();
    await presence.probe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reach).toHaveBeenCalledTimes(before);
  });
});

describe('a timeout that counts while a host is reachable', () => {
  it.each([
    ['over before the timeout', 2, 6],
    ['under way at the timeout', 8, 15],
  ])('fires later by an outage that is %s', async (_, from, end) => {
    const began = performance.now();
    presence = watchReachability(conversation(awayFrom(from, end)));
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue).toHaveBeenCalledOnce();
    const late = Number(onDue.mock.results[0]?.value) - 10_000 - (end - from) * 1000;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(2200);
  });

  it('fires later by an outage that is shorter than the pause between two probes', async () => {
    const began = performance.now();
    presence = watchReachability(conversation(awayFrom(4.42, 5.1)));
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(presence.outageMs()).toBe(0);
    expect(Number(onDue.mock.results[0]?.value)).toBeGreaterThanOrEqual(10_680);
  });

  it('does not fire later for an outage before it', async () => {
    presence = watchReachability(conversation(awayFrom(1, 6)));
    await vi.advanceTimersByTimeAsync(8000);
    const began = performance.now();
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(Number(onDue.mock.results[0]?.value)).toBeLessThan(11_000);
  });

  it('fires for a host that is gone once the conversation is over', async () => {
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
    ['distant', () => seconds(1.2)],
    ['never reachable', failsAfter(20)],
  ])('fires by its own limit if the host is %s', async (_, roundTrip) => {
    const began = performance.now();
    presence = watchReachability(conversation(roundTrip));
    const onDue = vi.fn(() => performance.now() - began);
    reachableTimeout(10_000, { reachability: presence, most: 60_000 }, onDue);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(Number(onDue.mock.results[0]?.value)).toBeLessThan(95_000);
  });

  it('does not fire for outages, however many, without such a limit', async () => {
    const began = performance.now();
    // The host is away for fifteen of each twenty seconds, ten times.
    const flickers = async (): Promise<void> => {
      const at = ((performance.now() - began) / 1000) % 20;
      await seconds(performance.now() - began < 200_000 && at < 15 ? 15 - at : 0.05);
    };
    presence = watchReachability(conversation(flickers));
    await vi.advanceTimersByTimeAsync(150_000);
    const onDue = vi.fn();
    reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    // The host is reachable for seven of these seconds, and an outage has just ended.
    await vi.advanceTimersByTimeAsync(27_000);
    expect(onDue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue).toHaveBeenCalledOnce();
  });

  it('does not fire while a probe is unanswered, up to the longest outage', async () => {
    presence = watchReachability(conversation(() => new Promise<void>(() => undefined)));
    const onDue = vi.fn();
    reachableTimeout(10_000, { reachability: presence, most: 100_000 }, onDue);
    await vi.advanceTimersByTimeAsync(75_000);
    expect(onDue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(160_000);
    expect(onDue).toHaveBeenCalledOnce();
  });

  it.each([
    ['during the timeout', 12, false],
    ['before it', 0, true],
  ])('fires fairly unless the host was away for longer than allowed %s: %s s', async (_, at, isFair) => {
    presence = watchReachability(conversation(awayFrom(at + 1, at + 6)));
    await vi.advanceTimersByTimeAsync(10_000);
    const onDue = vi.fn();
    reachableTimeout(10_000, { reachability: presence, most: 2000 }, onDue);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue.mock.calls).toEqual([[isFair]]);
  });

  it('never fires once it was cleared, even during a probe', async () => {
    presence = watchReachability(conversation(awayFrom(9, 20)));
    const onDue = vi.fn();
    const { clear } = reachableTimeout(10_000, { reachability: presence, most: Infinity }, onDue);
    await vi.advanceTimersByTimeAsync(12_000);
    clear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onDue).not.toHaveBeenCalled();
  });
});

it('this machine is always reachable', async () => {
  vi.useRealTimers();
  presence = watchReachability(conversation());
  await presence.probe();
  const onDue = vi.fn();
  reachableTimeout(10, { reachability: presence, most: Infinity }, onDue);
  await expect.poll(() => onDue.mock.calls.length).toBe(1);
  expect([presence.outageMs(), presence.unobservedMs]).toEqual([0, 0]);
});
