import type { Observed } from '../../../db/trial/observations.ts';
import { afterOutcome } from '../../../domain/search/observations.ts';
import { readKnobs } from '../../propose/read-knobs.ts';
import type { Conclusions, Outcome } from '../observer.ts';
import { isOutsideSearch } from '../../../domain/trial.ts';

/**
 * Adds an outcome to the observation of its candidate. A cached trial adds nothing, since it ran nothing, and neither
 * does a trial outside the search, of which no proposer learns.
 */
export async function storeObservation({ tx, research, trial }: Outcome): Promise<Partial<Conclusions>> {
  const { id, researchId, taskHash, candidateId, status } = trial;
  if (candidateId === null || status === null || status === 'cached' || isOutsideSearch(trial)) return {};
  const key = { researchId, taskHash, candidateId };
  const { observed, last, usd, broughtBy } = await tx.trial.findObserved({ id, ...key });
  const proposer = candidateId === research.baselineCandidate ? null : broughtBy;
  const before: Observed = observed ?? { ...UNSEEN, ...key, proposer };
  const read = before.knobs === null ? await knobsOf(tx, key) : {};
  await tx.trial.saveObserved({
    ...before,
    ...read,
    ...afterOutcome(before, { ...trial, status, usd }),
    seq: before.seq ?? last + 1,
  });
  return {};
}

const UNSEEN = { knobs: null, structure: null, seq: null, value: null, runs: 0, outcome: null, seconds: 0, usd: 0 };

/** Knobs of a candidate without a proposal under this task version: the original, or one kept over a change of task. */
async function knobsOf(tx: Outcome['tx'], { taskHash, candidateId }: { taskHash: string; candidateId: string }) {
  const version = await tx.task.loadTaskVersion(taskHash);
  const { read } = await readKnobs(tx, { candidateIds: [candidateId], version });
  return read[candidateId] ?? { knobs: {}, structure: null };
}
