import { decodeNumber } from '../../../domain/json/number.ts';
import { editsText } from '../../../domain/edit/edits-text.ts';
import type { HistoryRow } from '../../../db/trial/history.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { HistoryEntry, MeasuredValue, PromptInput } from '../../../domain/prompt/prompt-input.ts';
import type { ActivityDeps } from '../../deps.ts';

/** The last outcomes as a policy is told of them. */
export async function readTrialHistory(
  deps: ActivityDeps,
  input: { researchId: string; limit: number },
): Promise<HistoryEntry[]> {
  const rows = await deps.store.trial.findHistory(input);
  return rows.map(entryOf);
}

/** A stored outcome as a prompt tells it, by itself. */
export function entryOf(row: HistoryRow): HistoryEntry {
  const { hypothesis, status, failure, failureMessage, verdict, reason, edits, log } = row;
  const { n, value, candidateId, cpuSeconds } = row;
  return {
    ...{ n, value, candidateId, cpuSeconds },
    hypothesis: hypothesis ?? '',
    status: status ?? 'lost',
    failure: failure ? { label: failure, message: failureMessage ?? '' } : null,
    verdict: verdict ?? 'none',
    reason: reason ?? '',
    diff: editsText(edits),
    log: failure ? log : null,
  };
}

/** The numbers that an evaluator gave. */
export const metricsOf = ({ metrics }: Pick<HistoryRow, 'metrics'>): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics ?? {}).map(([name, value]) => [name, decodeNumber(value)]));

/** The parent as a prompt shows it; null for the task's original. */
export async function parentOf(deps: ActivityDeps, trial: Trial): Promise<PromptInput['parent']> {
  if (trial.parentId === null) return null;
  const found = await deps.store.trial.findTrialOf({ researchId: trial.researchId, candidateId: trial.parentId });
  if (!found || found.kind === 'baseline') return null;
  const means = await deps.store.trial.findCandidateMeans({
    researchId: trial.researchId,
    candidateIds: [trial.parentId],
  });
  const own = means.get(trial.parentId);
  return { trialN: own?.n ?? found.n, value: own?.mean ?? found.value, n: own?.runs ?? 1 };
}

/** An estimate as a prompt shows it; null before there is one. */
export const measured = (from: { mean: number | null; sd: number | null; n: number }): MeasuredValue | null =>
  from.mean === null ? null : { value: from.mean, sd: from.sd, n: from.n };
