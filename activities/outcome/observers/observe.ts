import type { Observed } from '../../../db/trial/observations.ts';
import { knobValuesIn } from '../../../domain/edit/knob-edit.ts';
import { afterOutcome } from '../../../domain/search/observations.ts';
import type { KnobValues } from '../../../domain/knob/knob-value.ts';
import { parentFiles } from '../../propose/parent-files.ts';
import type { Concluded, Outcome } from '../observer.ts';

/** Adds an outcome to what proposers read of its candidate; a copy of another trial's candidate ran nothing. */
export async function observe({ tx, trial }: Outcome): Promise<Partial<Concluded>> {
  const { id, researchId, taskHash, candidateId, status } = trial;
  if (candidateId === null || status === null || status === 'cached') return {};
  const key = { researchId, taskHash, candidateId };
  const { observed, last, usd } = await tx.trial.findObserved({ id, ...key });
  const before: Observed = observed ?? { ...UNSEEN, ...key, proposer: trial.proposer };
  await tx.trial.saveObserved({
    ...before,
    ...afterOutcome(before, { ...trial, status, usd }),
    seq: before.seq ?? last + 1,
    knobs: before.knobs ?? (await readKnobs({ tx }, key)),
  });
  return {};
}

const UNSEEN = { knobs: null, seq: null, value: null, runs: 0, outcome: null, seconds: 0, usd: 0 };

/** The knobs of a candidate that no proposal brought under this version of the task: the original, one kept over a change. */
async function readKnobs(
  { tx }: Pick<Outcome, 'tx'>,
  { taskHash, candidateId }: { taskHash: string; candidateId: string },
): Promise<KnobValues> {
  const version = await tx.task.loadTaskVersion(taskHash);
  if (version.task.knobs.length === 0) return {};
  return knobValuesIn(version.task.knobs, await parentFiles(tx, { parentId: candidateId, version }));
}
