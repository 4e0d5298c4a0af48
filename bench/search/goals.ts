import type { Problem } from './problem.ts';
import { GOALS } from './settings.ts';
import { differenceOf, excessOf, type Interval } from './statistics.ts';

/** Last values and CPU milliseconds of all repeats of an arm. */
export interface ArmResult {
  name: string;
  /** For each repeat the true value of its best after each trial. */
  paths: readonly (readonly number[])[];
  /** For each repeat the mean CPU milliseconds of a proposal. */
  cpuMs: readonly number[];
}

export interface ProblemResult {
  problem: Pick<Problem, 'name'>;
  arms: readonly ArmResult[];
}

/** A goal on one problem: a number, what it has to be, and whether it is. */
export interface Verdict {
  problem: string;
  goal: string;
  figure: Interval;
  isMet: boolean;
}

export const lastOf = ({ paths }: ArmResult): number[] => paths.map((path) => path.at(-1) ?? NaN);

/** The goals on one problem; those whose arms are missing are left out. */
export function verdictsOf({ problem, arms }: ProblemResult): Verdict[] {
  const find = (name: string): number[] | null => {
    const arm = arms.find((one) => one.name === name);
    return arm === undefined ? null : lastOf(arm);
  };
  const [uniform, random, tpe, mix, optuna] = ['uniform', 'random', 'tpe', 'mix', 'Optuna TPE'].map(find);
  const verdicts: Verdict[] = [];
  const add = (goal: string, figure: Interval, isMet: boolean): void =>
    void verdicts.push({ problem: problem.name, goal, figure, isMet });
  for (const [name, values] of [
    ['tpe', tpe],
    ['mix', mix],
  ] as const) {
    if (values && optuna && uniform) {
      const excess = excessOf({ a: values, b: optuna, c: uniform, share: GOALS.margin });
      add(`${name} − Optuna TPE − ${GOALS.margin} × its gain over uniform: at most 0`, excess, excess.high <= 0);
      if (problem.name === GOALS.better) {
        const difference = differenceOf(values, optuna);
        add(`${name} − Optuna TPE: below 0`, difference, difference.high < 0);
      }
    }
    for (const [other, rivals] of [
      ['uniform', uniform],
      ['random', random],
    ] as const) {
      if (!values || !rivals) continue;
      const difference = differenceOf(values, rivals);
      add(`${name} − ${other}: not above 0`, difference, difference.low <= 0);
    }
  }
  return verdicts;
}
