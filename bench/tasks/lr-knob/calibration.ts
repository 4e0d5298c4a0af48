import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../config/paths.ts';

export const TASK = join(packageRoot(), 'tasks/lr-knob');

/** Improvement with one setting of the knobs, over some seeds; a run that diverges counts −1. */
export interface Worth {
  mean: number;
  /** Standard deviation of one run. */
  sd: number;
  /** Share of the runs that diverge. */
  diverged: number;
}
export interface Knobs {
  lr: number;
  momentum?: number;
}

const load = (file: string): Promise<unknown> => import(pathToFileURL(join(TASK, file)).href);
const { learn } = (await load('workspace/learn.mjs')) as {
  learn: (settings: Knobs & { seed: number }) => { parameters: Float64Array | null };
};
export const { errorOf, improvementOf, REFERENCE } = (await load('evaluator/rate.mjs')) as {
  errorOf: (parameters: readonly number[]) => number;
  improvementOf: (parameters: readonly number[]) => number;
  REFERENCE: number;
};

/** Improvement of one run; −1 if it diverged. */
export function scoreOf(settings: Knobs & { seed: number }): number {
  const { parameters } = learn(settings);
  return parameters ? improvementOf([...parameters]) : -1;
}

/** The trained parameters for the seeds 1 to `runs`; null for a run that diverged. */
export const trained = (knobs: Knobs, runs: number): (number[] | null)[] =>
  Array.from({ length: runs }, (_, i) => {
    const { parameters } = learn({ ...knobs, seed: i + 1 });
    return parameters && [...parameters];
  });

export function worthOf(knobs: Knobs, runs: number): Worth {
  const values = trained(knobs, runs).map((parameters) => (parameters ? improvementOf(parameters) : null));
  const scores = values.map((value) => value ?? -1);
  const mean = scores.reduce((sum, score) => sum + score, 0) / runs;
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / runs;
  return { mean, sd: Math.sqrt(variance), diverged: values.filter((value) => value === null).length / runs };
}

/** Worth of a log-uniform choice: the mean over rates spread evenly on the logarithmic scale from 0.0001 to 10. */
export function worthOfRandom(rates: number, runs: number): number {
  const means = Array.from(
    { length: rates },
    (_, i) => worthOf({ lr: 10 ** (-4 + (5 * (i + 0.5)) / rates) }, runs).mean,
  );
  return means.reduce((sum, mean) => sum + mean, 0) / rates;
}

export const RATES = [1e-4, 0.001, 0.01, 0.05, 0.1, 0.15, 0.2, 0.22, 0.25, 0.3, 1, 10];
export const RUNS = 100;

/** The lines of the table of README.md. */
export function tableLines(): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const text = (value: number): string =>
    value
      .toFixed(2)
      .replace(/^-0\.00$/, '0.00')
      .replace('-', '−');
  const line = (name: string, { mean, sd, diverged }: Worth): string =>
    row([name, text(mean), text(sd), `${Math.round(100 * diverged)} %`]);
  return [
    row(['knobs', 'improvement', 'sd of one run', 'diverged']),
    row(['---', '---', '---', '---']),
    ...RATES.map((lr) => line(`lr ${lr}`, worthOf({ lr }, RUNS))),
    row(['lr at random, log-uniform', text(worthOfRandom(50, 20)), '', '']),
    ...[0.5, 0.9].map((momentum) => line(`lr 0.1, momentum ${momentum}`, worthOf({ lr: 0.1, momentum }, RUNS))),
  ];
}
