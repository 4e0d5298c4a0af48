import { describe, expect, it } from 'vitest';
import { ARMS } from '../../../bench/search/arms.ts';
import { type ArmResult, verdictsOf } from '../../../bench/search/goals.ts';
import { PROBLEMS } from '../../../bench/search/problems.ts';
import { runRepeat } from '../../../bench/search/repeat.ts';
import { IN_FLIGHT, SIZES } from '../../../bench/search/settings.ts';
import { differenceOf, interquartileMean } from '../../../bench/search/statistics.ts';

const find = <T extends { name: string }>(all: readonly T[], name: string): T => {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`expected ${name}, found none`);
  return found;
};
const last = async (problem: string, { arm, repeats, trials }: { arm: string; repeats: number; trials: number }) => {
  const size = { problem: find(PROBLEMS, problem), trials, inFlight: IN_FLIGHT };
  const all = [];
  for (let repeat = 0; repeat < repeats; repeat += 1)
    all.push(await runRepeat(find(ARMS, arm), { ...size, repeat }, null));
  return all.map(({ path }) => path.at(-1) ?? NaN);
};

describe('the bench of proposers', () => {
  // Values of another implementation with the same seeds.
  it.each([
    ['smooth-2', 80, 0.519],
    ['noisy-8', 20, 0.388],
    ['deceptive-30', 20, 0.826],
  ])('gives even draws on %s their known result', async (problem, repeats, known) => {
    expect(interquartileMean(await last(problem, { arm: 'uniform', repeats, trials: 100 }))).toBeCloseTo(known, 3);
  });

  it.each(PROBLEMS.map(({ name }) => [name]))(
    'runs every proposer of the product on %s, the same for a seed',
    async (name) => {
      for (const arm of ARMS.filter(({ by }) => by.kind === 'product')) {
        const size = { arm: arm.name, repeats: 2, trials: 15 };
        const values = await last(name, size);
        expect(await last(name, size)).toEqual(values);
        expect(values.every((value) => value >= 0)).toBe(true);
      }
    },
  );

  it('has a size for every problem', () => {
    expect(PROBLEMS.map(({ name }) => name)).toEqual(Object.keys(SIZES));
  });

  it('takes the mean of the middle half, with an interval of a difference around 0 for equal samples', () => {
    expect(interquartileMean([100, 1, 2, 3, 4, 5, 6, -100])).toBe(3.5);
    const values = Array.from({ length: 40 }, (_, i) => i);
    const { value, low, high } = differenceOf(values, values);
    expect([value, low < 0, high > 0]).toEqual([0, true, true]);
  });

  it('finds tpe not inferior within a tenth of the gain of its rival, and inferior beyond', () => {
    const arm = (name: string, at: number): ArmResult => ({
      name,
      paths: Array.from({ length: 20 }, () => [at]),
      cpuMs: [1],
    });
    const isMet = (tpe: number): boolean | undefined =>
      verdictsOf({
        problem: { name: 'any' },
        arms: [arm('uniform', 1), arm('Optuna TPE', 0), arm('tpe', tpe)],
      })[0]?.isMet;
    expect([isMet(-0.1), isMet(0.09), isMet(0.11)]).toEqual([true, true, false]);
  });
});
