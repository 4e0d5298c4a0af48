import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { evaluationJson } from '../../cli/render/policy/evaluation.ts';
import { packageRoot } from '../../config/paths.ts';
import type { EvaluationSummary } from '../../domain/learning/evaluation/summarize-evaluation.ts';
import type { Answers } from './split.ts';

/** Samples of an evaluation. */
const SAMPLES = 64;

type Evaluation = ReturnType<typeof evaluationJson>;

/**
 * Evaluates the version in force of an ended repeat with `perpetua policy eval`. The arms of a seed have the same seeds
 * of runs, which no training has. A repeated call prints the result of the first one, or continues it.
 */
export async function evaluateLast(
  id: string,
  { seed, db, home, signal }: { seed: number; db: pg.Pool; home: string; signal: AbortSignal },
): Promise<Evaluation> {
  const { rows } = await db.query<{ version: number }>(
    'select in_force as version from policies where research_id = $1',
    [id],
  );
  const [policy] = rows;
  if (policy === undefined) throw new Error(`Expected the ended research ${id} to have a policy, found none`);
  const main = join(packageRoot(), 'dist/cli/main.js');
  const words = ['policy', 'eval', id, String(policy.version)];
  const options = ['--samples', String(SAMPLES), '--seed', `learn/evaluation/${seed}`, '--json'];
  const env = { ...process.env, PERPETUA_HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words, ...options], { env, signal });
  return JSON.parse(stdout) as Evaluation;
}

/** The answers of an evaluation; a failed run is worth −1. */
export function answersOf({ readable, value }: Pick<EvaluationSummary, 'readable' | 'value'>): Answers {
  const read = readable.n * (readable.share ?? 0);
  const sum = value.n * (value.mean ?? 0) - (read - value.n);
  return { readShare: readable.share ?? 0, readMean: read === 0 ? -1 : sum / read };
}
