import { editsText } from '../../domain/edit/edits-text.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import type { HistoryEntry, Measured, PromptInput } from '../../domain/prompt/prompt-input.ts';
import type { ActivityDeps } from '../deps.ts';

/** The last outcomes as the proposer is told of them. */
export async function historyOf(
  deps: ActivityDeps,
  input: { researchId: string; limit: number },
): Promise<HistoryEntry[]> {
  const rows = await deps.store.trial.findHistory(input);
  return rows.map(
    ({ hypothesis, status, failure, failureMessage, value, verdict, reason, n, edits, log, cpuSeconds }) => ({
      n,
      hypothesis: hypothesis ?? '',
      status: status ?? 'lost',
      failure: failure ? { label: failure, message: failureMessage ?? '' } : null,
      value,
      verdict: verdict ?? 'none',
      reason: reason ?? '',
      diff: editsText(edits),
      cpuSeconds,
      log: failure ? log : null,
    }),
  );
}

/** The parent as a prompt shows it; null for the task's original. */
export async function parentOf(deps: ActivityDeps, trial: Trial): Promise<PromptInput['parent']> {
  if (trial.parentId === null) return null;
  const found = await deps.store.trial.findTrialOf({ researchId: trial.researchId, candidateId: trial.parentId });
  if (!found || found.kind === 'baseline') return null;
  return { trialN: found.n, value: found.value, n: 1 };
}

/** An estimate as a prompt shows it; null before there is one. */
export const measured = (from: { mean: number | null; sd: number | null; n: number }): Measured | null =>
  from.mean === null ? null : { value: from.mean, sd: from.sd, n: from.n };
