import type { Store, TxStore } from '../../db/store.ts';
import type { OutcomeInput } from '../../db/trial/outcome.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { toTrialEnded } from '../../domain/trial/to-trial-ended.ts';
import { updateOf } from '../../domain/search/update/table.ts';
import type { TrialEnded } from '../../domain/trial.ts';
import { findIncomparableReason } from './find-incomparable-reason.ts';
import type { Conclusions, Outcome, OutcomeObserver } from './observer.ts';
import { OBSERVERS } from './observers.ts';

/**
 * Writes a trial's outcome, once, and calls the observers, in one transaction under the research's row lock, so that of
 * two simultaneous winners only one wins. A repeated call returns the stored outcome. Throws, and stores nothing, if a
 * newer attempt follows the run or an observer throws.
 */
export const settle = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: OutcomeInput,
  observers = OBSERVERS,
): Promise<TrialEnded> =>
  withResearch(input.researchId, (tx, research) => settleIn({ tx, research }, input, observers));

/** Like `settle`, in a transaction that holds the research's lock. */
export async function settleIn(
  { tx, research }: Pick<Outcome, 'tx' | 'research'>,
  input: OutcomeInput,
  observers = OBSERVERS,
): Promise<TrialEnded> {
  // Throws UnknownMethod for an update method of a newer version: the outcome waits for a worker of that version.
  if (research.settings) updateOf(research.settings.search.update);
  const trial = await tx.trial.writeOutcome(input);
  const awaySeconds = await tx.trial.readEndpointOutageSeconds(input.trialId);
  if (!trial) return toTrialEnded({ ...(await loadEnded(tx, input.trialId)), awaySeconds }, research.runId);
  const incomparableReason = await findIncomparableReason(tx, research, trial);
  const { verdict } = await observe(observers, { tx, research, trial, incomparableReason });
  return toTrialEnded({ ...trial, verdict, awaySeconds }, research.runId);
}

async function loadEnded(tx: TxStore, trialId: string): Promise<Trial> {
  const trial = await tx.trial.loadTrial(trialId);
  if (trial.status === null) throw new Error(`a newer attempt follows ${trialId}: nothing was stored`);
  return trial;
}

async function observe(observers: readonly OutcomeObserver[], outcome: Outcome): Promise<Conclusions> {
  let conclusions: Conclusions = { verdict: 'none', advance: null };
  for (const observer of observers) conclusions = { ...conclusions, ...(await observer(outcome, conclusions)) };
  return conclusions;
}
