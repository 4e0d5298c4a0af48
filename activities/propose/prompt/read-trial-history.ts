import { decodeNumber } from '../../../domain/json/number.ts';
import { editsText } from '../../../domain/edit/edits-text.ts';
import type { HistoryRow } from '../../../db/trial/history.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { HistoryEntry, MeasuredValue, PromptInput } from '../../../domain/prompt/prompt-input.ts';
import type { ActivityDeps } from '../../deps.ts';

/** Reads the last outcomes in the short form of a policy's prompt. */
export async function readTrialHistory(
  deps: ActivityDeps,
  input: { researchId: string; limit: number },
): Promise<HistoryEntry[]> {
  const rows = await deps.store.trial.findHistory(input);
  return rows.map(entryOf);
}

/** A stored outcome in the form in which a prompt shows it, without facts of other trials. */
export function entryOf(row: HistoryRow): HistoryEntry {
  const { hypothesis, status, failure, failureMessage, verdict, reason, edits, log } = row;
  return {
    n: row.n,
    value: row.value,
    candidateId: row.candidateId,
    cpuSeconds: row.cpuSeconds,
    hypothesis: hypothesis ?? '',
    status: status ?? 'lost',
    failure: failure ? { label: failure, message: failureMessage ?? '' } : null,
    verdict: verdict ?? 'none',
    reason: reason ?? '',
    diff: editsText(edits),
    log: failure ? log : null,
  };
}

/** All metrics of an outcome. */
export const metricsOf = ({ metrics }: Pick<HistoryRow, 'metrics'>): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics ?? {}).map(([name, value]) => [name, decodeNumber(value)]));

/** The parent in the form in which a prompt shows it; null for the task's original. */
export async function parentOf(deps: ActivityDeps, trial: Trial): Promise<PromptInput['parent']> {
  if (trial.parentId === null) return null;
  const found = await deps.store.trial.findTrialOf({ researchId: trial.researchId, candidateId: trial.parentId });
  if (!found || found.kind === 'baseline') return null;
  const means = await deps.store.trial.findCandidateMeans({
    researchId: trial.researchId,
    candidateIds: [trial.parentId],
  });
  const measuredMean = means.get(trial.parentId);
  return {
    trialN: measuredMean?.n ?? found.n,
    value: measuredMean?.mean ?? found.value,
    n: measuredMean?.runs ?? 1,
  };
}

/** An estimate in the form in which a prompt shows it; null before there is one. */
export const measured = (from: { mean: number | null; sd: number | null; n: number }): MeasuredValue | null =>
  from.mean === null ? null : { value: from.mean, sd: from.sd, n: from.n };
