import { decodeNumber } from '../../../domain/json/number.ts';
import { reuseObstacle } from '../../../domain/gate/gate.ts';
import { outsideInfluence, platformOf, researchObstacle } from '../../../domain/search/known/reuse.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { Outcome } from '../../outcome/observer.ts';

/** A value of another research that stands for the first run of a candidate. */
export interface Reused {
  from: string;
  value: number;
  metrics: Record<string, number>;
}

/**
 * The value that another research measured for a candidate, if the search takes such values; null if the candidate
 * runs. Nothing is taken unless every condition of docs/decisions/0087-values-of-other-researches.md is known to hold.
 * Call it for a candidate without a run in this research, under the research's lock.
 */
export async function findReusedValue(
  { tx, research }: Pick<Outcome, 'tx' | 'research'>,
  { trial, candidateId, version }: { trial: Trial; candidateId: string; version: TaskVersion },
): Promise<Reused | null> {
  const { task, hash: taskHash } = version;
  const researchId = research.id;
  if (task.search.cache !== true || trial.kind !== 'search') return null;
  if (trial.taskHash !== taskHash || research.taskHash !== taskHash) return null;
  if (researchObstacle(research) !== null || outsideInfluence(task) !== null) return null;
  const platform = platformOf(await tx.trial.findPlatforms({ researchId, taskHash }));
  if (platform === null) return null;
  const found = await tx.trial.findReusable({ researchId, candidateId, taskHash, ...platform });
  if (found === undefined || !Number.isFinite(found.value)) return null;
  const { value } = found;
  const metrics = Object.entries(found.metrics ?? {}).map(([name, number]) => [name, decodeNumber(number)]);
  if (reuseObstacle(research.gateConfig, research.gate, { candidateId, value }) !== null) return null;
  return { from: found.trialId, value, metrics: Object.fromEntries(metrics) as Record<string, number> };
}
