import { describe, expect, it } from 'vitest';
import { ARMS, idOf } from '../../bench/learn/arms.ts';
import { randomMeans } from '../../bench/learn/random-means.ts';
import type { Update } from '../../bench/learn/read.ts';
import { latencyLines, tableLines } from '../../bench/learn/report.ts';
import { estimate, summarize } from '../../bench/learn/summary.ts';
import { UPDATES } from '../../domain/search/update/table.ts';

const update = (k: number, more: Partial<Update> = {}): Update => ({
  k,
  state: 'done',
  mean: 0,
  validShare: 0.5,
  entropy: 1,
  alarms: [],
  latency: { begin: 0.5, step: 2, first: k === 3 ? null : 1.5 },
  parts: { forward: 1, backward: 0.5 },
  ...more,
});

const unpadded = (line: string): string => line.replace(/ +/g, ' ');

describe('the bench of learning updates', () => {
  it('gives each repeat an id of its own, and each arm settings that its method accepts', () => {
    expect(ARMS.map((arm) => idOf(arm, 3))).toEqual(
      ['lr-0', 'grpo', 'ppo', 'sdpo', 'grpo-bare'].map((name) => `learn/${name}/s3`),
    );
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
      summarize('grpo', [{ seed: 1, means, updates, cpu: 99.6 }]),
      summarize('at random', [
        { seed: 1, means, updates: [], cpu: null },
        { seed: 2, means, updates: [], cpu: null },
      ]),
    ]);
    expect(lines.slice(2).map(unpadded)).toEqual([
      '| grpo | 1 | −1.00 | 1.00 | 50 % | 1.00 | entropy adjust × 2 | 100 |',
      '| at random | 2 | −1.00 ± 0.00 | 1.00 ± 0.00 | – | – | – | – |',
    ]);
  });

  it('adds up the latencies from the last outcome to the first sample, if there was one', () => {
    expect(
      latencyLines([update(1), update(2), update(3)])
        .slice(2)
        .map(unpadded),
    ).toEqual([
      '| last outcome → step begins | 0.50 | 0.50 | 3 |',
      '| step begins → version is stored | 2.00 | 2.00 | 3 |',
      '| of which the step itself | 1.50 | 1.50 | 3 |',
      '| version is stored → its first sample | 1.50 | 1.50 | 2 |',
      '| in all | 4.00 | 4.00 | 2 |',
    ]);
  });
});
