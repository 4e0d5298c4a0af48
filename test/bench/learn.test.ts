import { describe, expect, it } from 'vitest';
import { ARMS, idOf } from '../../bench/learn/arms.ts';
import { differenceLines, lastAnswers } from '../../bench/learn/differences.ts';
import { answersOf } from '../../bench/learn/evaluate.ts';
import { randomMeans } from '../../bench/learn/random-means.ts';
import type { Update } from '../../bench/learn/read.ts';
import { latencyLines, tableLines } from '../../bench/learn/report.ts';
import { meanOf, splitGain } from '../../bench/learn/split.ts';
import { estimate, summarize } from '../../bench/learn/summary.ts';
import { UPDATES } from '../../domain/search/update/table.ts';

const update = (k: number, more: Partial<Update> = {}): Update => ({
  k,
  state: 'done',
  mean: 0,
  validShare: 0.5,
  validMean: 0,
  entropy: 1,
  alarms: [],
  latency: { begin: 0.5, step: 2, first: k === 3 ? null : 1.5 },
  parts: { forward: 1, backward: 0.5 },
  ...more,
});

const unpadded = (line: string): string => line.replace(/ +/g, ' ');

describe('the bench of learning updates', () => {
  it('gives each repeat an id of its own, and each arm settings that its method accepts', () => {
    expect(ARMS.map((arm) => idOf(arm, 3))).toEqual(['grpo', 'lr-0', 'ppo', 'sdpo'].map((name) => `learn/${name}/s3`));
    for (const {
      update: { name, ...settings },
    } of ARMS)
      expect(UPDATES[name as keyof typeof UPDATES].settings.safeParse(settings).success).toBe(true);
  });

  it('draws random means as the README of the task states, the same for a seed', () => {
    const means = randomMeans(1, 60);
    expect(randomMeans(1, 60)).toEqual(means);
    expect(estimate(means).mean).toBeCloseTo(-0.44, 1);
  });

  it("has an interval of Student's t over repeats, and none for a single repeat", () => {
    expect(estimate([1, 2, 3])).toEqual({ mean: 2, half: expect.closeTo(2.484, 3) as number });
    expect(estimate([1])).toEqual({ mean: 1, half: null });
  });

  it('lists the means of the first and last five updates, the alarms with their counts, and a dash if unknown', () => {
    const means = [-1, -1, -1, -1, -1, 0, 1, 1, 1, 1, 1];
    const updates = means.map((mean, index) =>
      update(index + 1, { mean, alarms: index > 8 ? ['entropy adjust'] : [] }),
    );
    const lines = tableLines([
      summarize('grpo', [{ seed: 1, means, updates, cpu: 99.6, evaluation: { readShare: 0.5, readMean: 0 } }]),
      summarize('at random', [
        { seed: 1, means, updates: [], cpu: null, evaluation: null },
        { seed: 2, means, updates: [], cpu: null, evaluation: null },
      ]),
    ]);
    expect(lines.slice(2).map(unpadded)).toEqual([
      '| grpo | 1 | −1.00 | 1.00 | 50 % | −0.50 | 50 % | 1.00 | entropy adjust × 2 | 100 |',
      '| at random | 2 | −1.00 ± 0.00 | 1.00 ± 0.00 | – | – | – | – | – | – |',
    ]);
  });

  it('splits a gain into more readable answers and better values, which add up to it', () => {
    const [from, to] = [
      { readShare: 0.5, readMean: -0.2 },
      { readShare: 1, readMean: 0.4 },
    ];
    const { form, values } = splitGain(from, to);
    expect(form + values).toBeCloseTo(meanOf(to) - meanOf(from), 12);
    expect(form).toBeCloseTo(0.55, 12);
    expect(splitGain(from, { ...from, readShare: 0.9 }).values).toBe(0);
    expect(splitGain(from, { ...from, readMean: 0.9 }).form).toBe(0);
  });

  it('counts a failed run of an evaluation as −1 among the readable answers', () => {
    const value = { n: 6, mean: 0.5, sd: 0.1, low: 0.4, high: 0.6 };
    const answers = answersOf({ readable: { n: 10, share: 0.8, low: 0.4, high: 1 }, value });
    expect(answers).toEqual({ readShare: 0.8, readMean: expect.closeTo((6 * 0.5 - 2) / 8, 12) as number });
    expect(meanOf(answers)).toBeCloseTo((6 * 0.5 - 4) / 10, 12);
  });

  it('weighs the values of the last updates by their readable answers', () => {
    const answers = lastAnswers([
      update(1, { validShare: 0, validMean: null }),
      update(2, { validShare: 0.5, validMean: 0.2 }),
    ]);
    expect(answers).toEqual({ readShare: 0.25, readMean: expect.closeTo(0.2, 12) as number });
  });

  it('compares each repeat with the control of its seed alone', () => {
    const repeat = (seed: number, validMean: number) => {
      const updates = [update(1, { validShare: 1, validMean })];
      return { seed, means: [validMean], updates, cpu: null, evaluation: null };
    };
    const control = { name: 'lr 0', repeats: [repeat(1, 0), repeat(2, 0.5)] };
    const lines = differenceLines([{ name: 'grpo', repeats: [repeat(2, 0.75), repeat(3, 9)] }], control);
    expect(lines.slice(2).map(unpadded)).toEqual([
      '| grpo | last 5 | 1 | 0.25 | 0.00 | 0.25 |',
      '| grpo | held out | 0 | – | – | – |',
    ]);
  });

  it('adds up the latencies from the last outcome to the first sample, if there was one', () => {
    expect(latencyLines([update(1), update(2), update(3)])).toEqual([
      'From the last outcome of a batch to the first sample of its version: ' +
        'median 4.00 s, 90 % within 4.00 s (2 updates).',
      'The step itself: median 1.50 s, 90 % within 1.50 s.',
    ]);
  });
});
