import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Arm } from './arms.ts';
import type { ArmResult } from './goals.ts';
import type { Studies } from './optuna/study.ts';
import type { Problem } from './problem.ts';
import { runRepeat } from './repeat.ts';
import { OPTUNA, SEEDS } from './settings.ts';

interface Size {
  problem: Problem;
  repeats: number;
  trials: number;
  inFlight: number;
}

/** Runs all repeats of an arm. An arm of Optuna is not run again with the same settings: `kept` has its results. */
export async function runArm(
  arm: Arm,
  size: Size,
  { studies, kept }: { studies: Studies; kept: string },
): Promise<ArmResult> {
  const file = join(kept, `${keyOf(arm, size)}.json`);
  const isKept = arm.by.kind === 'optuna';
  if (isKept && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ArmResult;
  const all = [];
  for (let repeat = 0; repeat < size.repeats; repeat += 1) all.push(await runRepeat(arm, { ...size, repeat }, studies));
  const result = { name: arm.name, paths: all.map(({ path }) => path), cpuMs: all.map(({ cpuMs }) => cpuMs) };
  if (isKept) writeFileSync(file, JSON.stringify(result));
  return result;
}

/** Name of a file for what decides an arm's results: the settings, and the problem at its lowest and highest knobs. */
function keyOf({ name, by }: Arm, { problem, repeats, trials }: Size): string {
  const { knobs, noise } = problem;
  const ends = [0, 1].map((end) =>
    problem.value(knobs.map((knob) => (knob.type === 'choice' ? knob.values[end] : knob.range[end]) ?? null)),
  );
  const content = JSON.stringify([OPTUNA, SEEDS, name, by, knobs, noise, ends, repeats, trials]);
  return `${problem.name}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}
