import type { Research } from '../../../db/research/research.ts';
import type { HistoryRow } from '../../../db/trial/history.ts';
import type { CandidateMean } from '../../../db/trial/prompt-input/candidate-means.ts';
import type { KnownCandidate } from '../../../db/trial/prompt-input/known-candidates.ts';
import { baseline } from '../../../domain/gate/gate.ts';
import type { HistoryEntry, PromptInput, KnownOutcome, UnderWay } from '../../../domain/prompt/prompt-input.ts';
import { editsText } from '../../../domain/edit/edits-text.ts';
import type { ActivityDeps } from '../../deps.ts';
import { entryOf, metricsOf } from './read-trial-history.ts';

type DetailedHistory = Required<Pick<PromptInput, 'history' | 'best'>>;
interface HistoryLimits {
  research: Research;
  /** Number of last outcomes to read. */
  last: number;
  /** Number of best outcomes to read. */
  best: number;
}

/** Reads the last and the best outcomes, with diffs, curves, means and relatives. */
export async function readDetailedHistory(
  { store }: ActivityDeps,
  { research, last, best }: HistoryLimits,
): Promise<DetailedHistory> {
  const researchId = research.id;
  const { sign } = research.gate;
  const sd = baseline(research.gate).sd ?? 0;
  const ns = await store.trial.findBestTrials({ researchId, sign, sd, limit: best });
  const bestRows = await store.trial.findNumberedHistory({ researchId, ns });
  const lastRows = await store.trial.findHistory({ researchId, limit: last });
  const rows = [...bestRows, ...lastRows.filter(({ n }) => !ns.includes(n))];
  const entries = await detailed(store, { research, rows });
  const pick = (from: HistoryRow[]): HistoryEntry[] => from.flatMap(({ n }) => entries.get(n) ?? []);
  return { best: pick(bestRows), history: pick(lastRows) };
}

async function detailed(
  store: ActivityDeps['store'],
  { research, rows }: { research: Research; rows: HistoryRow[] },
): Promise<Map<number, HistoryEntry>> {
  const researchId = research.id;
  const pairs = rows.flatMap(({ n, candidateId, parentId }) =>
    candidateId === null || parentId === null ? [] : { n, candidateId, parentId },
  );
  const candidateIds = [...new Set(pairs.flatMap(({ candidateId, parentId }) => [candidateId, parentId]))];
  const copied = rows.flatMap(({ status, candidateId }) => (status === 'cached' && candidateId ? [candidateId] : []));
  const [means, curves, diffs, originals] = await Promise.all([
    store.trial.findCandidateMeans({ researchId, candidateIds }),
    store.trial.findCurvePoints(rows),
    store.trial.findDiffs(pairs),
    store.trial.findCopySources({ researchId, candidateIds: copied }),
  ]);
  const diffOf = new Map(pairs.map(({ n }, i) => [n, diffs[i]]));
  return new Map(
    rows.map((row) => [
      row.n,
      {
        ...entryOf(row),
        diff: diffOf.get(row.n) ?? null,
        curve: curves.get(row.id) ?? [],
        ...relativesOf(row, { research, means }),
        copiedTrial: seenOf(originals.get(row.candidateId ?? '')),
        expectedDelta: row.expectedDelta,
        seconds: row.seconds,
        metrics: metricsOf(row),
        // On other trials, such as copies, the stored notes are the platform's and may be outdated.
        notes: row.status === 'completed' ? row.evaluatorNotes : null,
      },
    ]),
  );
}

function relativesOf(
  { candidateId, parentId }: HistoryRow,
  { research, means }: { research: Research; means: Map<string, CandidateMean> },
): Pick<HistoryEntry, 'parent' | 'mean'> {
  const candidateMean = means.get(candidateId ?? '');
  const parentMean = means.get(parentId ?? '');
  const mean =
    candidateMean && candidateMean.mean !== null ? { value: candidateMean.mean, n: candidateMean.runs } : null;
  const isOriginal = parentId === research.baselineCandidate;
  if (!parentMean || (!isOriginal && parentMean.n === null)) return { parent: null, mean };
  return { parent: { n: isOriginal ? null : parentMean.n, value: parentMean.mean }, mean };
}

/** A known candidate in the form in which a prompt shows it; null if there is none. */
export function seenOf(row: KnownCandidate | undefined): KnownOutcome | null {
  if (row === undefined) return null;
  return {
    n: row.n,
    status: row.status,
    value: row.value,
    failure: row.failure ? { label: row.failure, message: row.failureMessage ?? '' } : null,
  };
}

/** Other proposals that have no outcome yet. */
export async function underWayOf(
  { store }: ActivityDeps,
  beside: { researchId: string; trialId: string },
): Promise<UnderWay[]> {
  const rows = await store.trial.findOpenProposals(beside);
  return rows.map(({ n, hypothesis, edits }) => ({ n, hypothesis: hypothesis ?? '', diff: editsText(edits) }));
}
