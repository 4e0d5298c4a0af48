import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { TASK } from '../tasks/lr-knob/calibration.ts';

/** Samples of an update. */
export const BATCH = 16;

type Settings = Record<string, unknown>;
const task = parse(readFileSync(join(TASK, 'task.yaml'), 'utf8')) as { search: { update: Settings } };
/** The `search.update` of the task, with its gates. */
const { update } = task.search;

export interface Arm {
  name: string;
  colour: string;
  /** Settings in place of the task's `search.update`. */
  update: Settings;
  /** Most repeats. */
  seeds: number;
}

/** Name of the arm with which the others are compared. */
export const CONTROL = 'lr 0';

/** The compared updates. All have the same prompt and the same number of samples. */
export const ARMS: readonly Arm[] = [
  { name: 'grpo', colour: '#2c6fbb', update, seeds: 4 },
  { name: CONTROL, colour: '#888', update: { ...update, lr: 0, gates: [] }, seeds: 4 },
  { name: 'ppo', colour: '#2e8b57', update: { ...update, name: 'ppo' }, seeds: 3 },
  { name: 'sdpo', colour: '#8e44ad', update: { ...update, name: 'sdpo' }, seeds: 3 },
];

/** The id of a repeat's research. */
export const idOf = ({ name }: Pick<Arm, 'name'>, seed: number): string =>
  `learn/${name.replace(/[^a-z0-9]+/g, '-')}/s${seed}`;

/** The root of the seeds of a repeat. All arms have the same seeds of runs and baselines, but other samples. */
export const rootOf = (seed: number): string => `learn/${seed}`;
