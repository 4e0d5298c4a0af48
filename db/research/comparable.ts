import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { Trial } from '../trial/proposal.ts';
import type { Research } from './research.ts';
import { loadTaskVersion, type TaskVersion } from '../task/task-version.ts';

/**
 * Why a trial says nothing of what its research compares now, in words; null where it does: the same metric and evaluator,
 * and a candidate that changes nothing but what is still mutable.
 */
export async function incomparable(tx: Tx, research: Research, trial: Trial): Promise<string | null> {
  if (trial.taskHash === research.taskHash) return null;
  const [ran, current] = [await loadTaskVersion(tx, trial.taskHash), await loadTaskVersion(tx, research.taskHash)];
  if (ran.metricKey !== current.metricKey) return 'scored by a metric that the task no longer has';
  const [fixed] = trial.candidateId === null ? [] : await findFixed(tx, [trial.candidateId], current);
  return fixed === undefined ? null : `${fixed.path}, which it changes, is no longer mutable`;
}

/** Files of these candidates that a task version does not let anybody change. */
export async function findFixed(
  tx: Tx,
  candidateIds: readonly string[],
  { mutablePaths }: Pick<TaskVersion, 'mutablePaths'>,
): Promise<{ id: string; path: string }[]> {
  const ids = JSON.stringify(candidateIds);
  const paths = JSON.stringify(mutablePaths);
  const found = await tx.execute<{ id: string; path: string }>(sql`
    select id, path from candidates, jsonb_object_keys(files) path
    where id in (select jsonb_array_elements_text(${ids}::jsonb))
      and path not in (select jsonb_array_elements_text(${paths}::jsonb))
    order by id, path`);
  return found.rows;
}
