import { mean, sampleStandardDeviation } from 'simple-statistics';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import { turnKnobs } from '../../../domain/search/proposer/turn-knobs.ts';
import type { Task } from '../../../domain/task/task.ts';
import { type Files, mutableFiles, trial } from './trial.ts';

/** Scores of `runs` trials with seeds from `seed` on, in bits per character; a failed trial counts as infinite. */
export async function scores(files: Files, runs: number, seed: number): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < runs; i++) values.push((await trial(files, seed + i)).score?.bpc ?? Number.POSITIVE_INFINITY);
  return values;
}

/**
 * Runs a plain search with the task's random proposer, from the best candidate so far. A candidate that beats it by
 * 1 sd runs three times more, and is kept if the mean of these runs beats it by half an sd. At the end, five more runs
 * measure the value of the best.
 */
export async function search(task: Task, options: { trials: number; seed: number; onKeep: (line: string) => void }) {
  let files = await mutableFiles();
  let { seed } = options;
  const score = async (candidate: Files, runs: number) => scores(candidate, runs, (seed += 100));
  const base = await score(files, 10);
  const [baseline, sd] = [mean(base), sampleStandardDeviation(base)];
  let best = baseline;
  let keeps = 0;
  for (let n = 1; n <= options.trials; n++) {
    const proposal = turnKnobs({ knobs: task.knobs, files, seed: options.seed * 1000 + n });
    if (!proposal.ok) throw new Error(proposal.reason);
    const applied = applyEdits(files, proposal.edits, task.mutable);
    if (!applied.ok) throw new Error(`the random proposer made an edit that does not apply: ${applied.reason}`);
    const [once = Number.NaN] = await score(applied.files, 1);
    if (!(once < best - sd)) continue;
    const again = mean(await score(applied.files, 3));
    if (!(again < best - sd / 2)) continue;
    [files, best, keeps] = [applied.files, again, keeps + 1];
    options.onKeep(`${n}: ${best.toFixed(4)} by ${proposal.hypothesis}`);
  }
  return { baseline, sd, keeps, best: mean(await score(files, 5)) };
}
