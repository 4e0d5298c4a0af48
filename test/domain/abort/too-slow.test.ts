import { describe, expect, it } from 'vitest';
import { tooSlow, waitMayExplainPace } from '../../../domain/abort/too-slow.ts';

const atPace = (secondsPerStep: number, steps: number) =>
  Array.from({ length: steps }, (_, i) => ({ step: i + 1, elapsed: 30 + (i + 1) * secondsPerStep, value: 1 }));

describe('a run that is too slow for its budget', () => {
  const plan = { steps: 100, seconds: 100 };
  it('is reported with the projected end', () => {
    expect(tooSlow(atPace(2, 20), plan)).toContain('it would take 230 s; the limit is 100 s');
  });
  it('does not include one that is slow within the slack, or only at its start', () => {
    expect(tooSlow(atPace(0.85, 20), plan)).toBeNull();
    expect(tooSlow(atPace(5, 9), plan)).toBeNull();
    expect(tooSlow([], plan)).toBeNull();
  });
  it('does not include one that has reached its last step', () => {
    expect(tooSlow(atPace(2, 100), { ...plan, steps: 100 })).toBeNull();
  });
  it('does not include one that has paused once, however late, but one that pauses most of the time', () => {
    const pausing = (pauses: number[]) => {
      let elapsed = 0;
      return Array.from({ length: 100 }, (_, i) => {
        elapsed += pauses.includes(i) ? 20 : 0.1;
        return { step: i + 1, elapsed, value: 1 };
      });
    };
    const long = { steps: 1000, seconds: 150 };
    for (const pause of [55, 70, 99]) expect(tooSlow(pausing([pause]), long)).toBeNull();
    expect(tooSlow(pausing([55, 65, 75, 85, 95]), long)).toContain('the limit is 150 s');
  });
  it('is found by the times of lines that were read at once, not by lines that were read late', () => {
    const points = atPace(2, 20);
    const unseen = (from: number, end: number) =>
      points.map((point, i) => (i >= from && i < end ? { ...point, elapsed: Number.NaN } : point));
    expect(tooSlow(unseen(10, 20), plan)).toBeNull();
    expect(tooSlow(unseen(5, 19), plan)).toBeNull();
    expect(tooSlow(unseen(5, 15), plan)).toContain('it would take 230 s');
  });
});

describe('a pace that the wait for a CPU may explain', () => {
  const LIMIT = 100;
  /** Points of a run that needs its whole limit on a free core, and computes `slower` times as long from `from` on. */
  const sharing = (from: number, slower: number) => {
    let [elapsed, waitSeconds] = [0, 0];
    const points = Array.from({ length: 99 }, (_, i) => {
      elapsed += i < from ? 1 : slower;
      waitSeconds += i < from ? 0 : slower - 1;
      return { step: i + 1, elapsed, value: 1, waitSeconds };
    });
    return points;
  };

  it('stops no run that needs no more than its limit, whenever others take how much of its core', () => {
    let slow = 0;
    for (let from = 0; from < 99; from += 3)
      for (const slower of [1.1, 1.22, 1.25, 1.3, 1.4, 1.5, 2, 4]) {
        const all = sharing(from, slower);
        for (let length = 1; length <= all.length; length += 1) {
          const points = all.slice(0, length);
          if (tooSlow(points, { steps: 100, seconds: LIMIT }) === null) continue;
          slow += 1;
          expect(waitMayExplainPace(points, points.at(-1)?.waitSeconds ?? 0), `${from} ${slower} ${length}`).toBe(true);
        }
      }
    expect(slow).toBeGreaterThan(0);
  });

  it('is not that of a run that hardly waited', () => {
    const points = atPace(2, 20);
    expect(waitMayExplainPace(points, 0)).toBe(false);
    expect(waitMayExplainPace(points, 3.4)).toBe(false);
    expect(waitMayExplainPace(points, 3.6)).toBe(true);
  });
});
