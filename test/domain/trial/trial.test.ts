import { describe, expect, it, test } from 'vitest';
import { toTrialEnded, type StoredOutcome } from '../../../domain/trial/to-trial-ended.ts';
import { adaptWindow, initialWindow, windowOf } from '../../../domain/window/window.ts';
import { candidateContent } from '../../../domain/trial/candidate.ts';
import { parseTrialId, trialIdOf } from '../../../domain/trial/ids.ts';
import { hashToSeed } from '../../../domain/trial/seed.ts';

describe('the end of a trial', () => {
  const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);

  /** A trial that was proposed in a second and ran for ten. */
  const quick = (n: number, more: Partial<StoredOutcome> = {}): StoredOutcome => ({
    n,
    kind: 'search',
    status: 'completed',
    verdict: 'discard',
    slotWaitSeconds: 0.1,
    seconds: 10,
    createdAt: at(0),
    readyAt: at(1),
    startedAt: at(1.1),
    awaySeconds: 0,
    ...more,
  });

  test('the downtime of the endpoint counts neither as time of the model nor as wait of a free slot', () => {
    const hour = { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 3600 };
    const there = { proposeSeconds: 2, slotWaitSeconds: null, slotSeconds: 10 };
    expect(toTrialEnded(quick(1, { ...hour, awaySeconds: 3598 }), null)).toMatchObject(there);
    expect(toTrialEnded(quick(1, hour), null)).toMatchObject({ proposeSeconds: 3600, slotWaitSeconds: 3600 });
  });

  test('the wait of a slot that became free after the downtime counts in full', () => {
    const late = quick(1, { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 5, awaySeconds: 3590 });
    expect(toTrialEnded(late, null)).toMatchObject({ slotWaitSeconds: 5 });
  });

  test('no duration is negative, whatever the clocks show', () => {
    expect(toTrialEnded(quick(1, { awaySeconds: 9 }), null)).toMatchObject({
      proposeSeconds: 0,
      slotWaitSeconds: null,
    });
  });

  test('the window is the same after an hour of downtime of the endpoint as without it', () => {
    const after = (trials: StoredOutcome[]): number =>
      windowOf(trials.reduce((state, one) => adaptWindow(state, toTrialEnded(one, null)), initialWindow({ slots: 4 })));
    const row = Array.from({ length: 60 }, (_, index) => quick(index + 1));
    const hour = { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 3590 };
    const hit = (awaySeconds: number) =>
      row.map((one) => (one.n > 30 && one.n <= 36 ? { ...one, ...hour, awaySeconds } : one));
    expect(after(hit(3599))).toBe(after(row));
    expect(after(hit(0))).toBeGreaterThan(after(row));
  });
});

describe('the content of a candidate', () => {
  it('is the same whatever the order of the files', () => {
    expect(candidateContent({ b: '2', a: '1' }, 'h')).toBe(candidateContent({ a: '1', b: '2' }, 'h'));
  });

  it('differs by content, path and immutable content, and text moved between them never makes it equal', () => {
    const texts = [
      candidateContent({ a: '1', b: '2' }, 'h'),
      candidateContent({ a: '1', b: '3' }, 'h'),
      candidateContent({ a: '1', c: '2' }, 'h'),
      candidateContent({ a: '1', b: '2' }, 'i'),
      candidateContent({ a: '1"],["b","2' }, 'h'),
      candidateContent({}, 'h'),
    ];
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test.each(['nano-lm', 'team/a', 'a/1', '', '../..', 'two\nlines', '名'])(
  'a trial id of the research %j is parsed back into the research and the number',
  (researchId) => {
    const read = parseTrialId(trialIdOf(researchId, 42));
    expect(read).toEqual(researchId === '' ? undefined : { researchId, n: 42 });
  },
);

test.each(['', 'nano-lm', 'nano-lm/', '/3', 'nano-lm/x', 'nano-lm/-1', 'nano-lm/1.5', 'nano-lm/1 '])(
  '%j is no trial id',
  (text) => {
    expect(parseTrialId(text)).toBeUndefined();
  },
);

describe('a seed', () => {
  const seeds = Array.from({ length: 20_000 }, (_, n) => hashToSeed(`nano-lm/${n + 1}`));

  test('the seed of a trial never changes: stored lineages rest on it', () => {
    expect([hashToSeed('nano-lm/1'), hashToSeed('nano-lm/2'), hashToSeed('')]).toEqual([
      1266298284, 1215964757, 18718716,
    ]);
  });

  test('seeds are whole numbers of 31 bits', () => {
    for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
  });

  test('neighbouring trials and researches get different seeds', () => {
    // 20,000 draws of 31 bits collide .09 times on average.
    expect(new Set(seeds).size).toBeGreaterThan(seeds.length - 3);
    expect(hashToSeed('a/1')).not.toBe(hashToSeed('b/1'));
  });

  test('every bit is set in about half of the seeds', () => {
    for (let bit = 0; bit < 31; bit += 1) {
      const share = seeds.filter((seed) => (seed >> bit) & 1).length / seeds.length;
      expect(share, `bit ${bit}`).toBeGreaterThan(0.4);
      expect(share, `bit ${bit}`).toBeLessThan(0.6);
    }
  });
});
