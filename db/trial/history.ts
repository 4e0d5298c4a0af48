import { and, asc, desc, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { PROPOSAL_KINDS } from '../../domain/trial.ts';
import type { Db } from '../connect.ts';
import { trials } from '../schema.ts';
import type { Trial } from './proposal.ts';
import { CPU_SECONDS } from './compute-used.ts';
import { shownVerdict } from './shown-verdict.ts';
import { inSearch } from './in-search.ts';

/** Characters at the end of a failed run's output that a prompt may show. */
const LOG_CHARACTERS = 2000;

export type HistoryRow = Awaited<ReturnType<typeof findHistory>>[number];

/** Last ended proposals, oldest first, in the form of a proposer's history. */
export async function findHistory(db: Db, input: { researchId: string; limit: number }) {
  const rows = await select(db, input.researchId).orderBy(desc(trials.n)).limit(input.limit);
  return rows.reverse();
}

/** Ended proposals with these numbers, in the same order; numbers of no ended proposal are left out. */
export async function findNumberedHistory(
  db: Db,
  { researchId, ns }: { researchId: string; ns: readonly number[] },
): Promise<HistoryRow[]> {
  if (ns.length === 0) return [];
  const rows = await select(db, researchId, inArray(trials.n, [...ns]));
  return ns.flatMap((n) => rows.find((row) => row.n === n) ?? []);
}

// Names of tables are spelled out: a query of one table drops them, and `placement` would be the run's own.
const cpuSeconds = sql<number | null>`(
  select ${CPU_SECONDS} from runs where runs.trial_id = trials.id and runs.placement = trials.placement)`;
const log = sql<string | null>`(
  select right(runs.log_tail, ${LOG_CHARACTERS}) from runs
  where runs.trial_id = trials.id and runs.placement = trials.placement)`;

const select = (db: Db, researchId: string, among?: SQL) =>
  db
    .select({
      id: trials.id,
      n: trials.n,
      placement: trials.placement,
      candidateId: trials.candidateId,
      parentId: trials.parentId,
      hypothesis: trials.hypothesis,
      expectedDelta: trials.expectedDelta,
      status: trials.status,
      failure: trials.failure,
      failureMessage: trials.failureMessage,
      value: trials.value,
      // Code of an artefact may have read the labels, and what it tells must not reach the next candidate.
      metrics: sql<Trial['metrics']>`case when ${trials.artefactCode} is null then ${trials.metrics} end`,
      evaluatorNotes: sql<string | null>`case when ${trials.artefactCode} is null then ${trials.evaluatorNotes} end`,
      verdict: shownVerdict(researchId),
      reason: trials.reason,
      edits: trials.edits,
      seconds: trials.seconds,
      cpuSeconds,
      log,
    })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, researchId),
        isNotNull(trials.status),
        inArray(trials.kind, [...PROPOSAL_KINDS]),
        among,
      ),
    );

/** First scored trial of a candidate in a research. */
export async function findTrialOf(db: Db, input: { researchId: string; candidateId: string }) {
  const rows = await db
    .select({ n: trials.n, kind: trials.kind, value: trials.value })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, input.researchId),
        eq(trials.candidateId, input.candidateId),
        inSearch(trials.kind),
        eq(trials.status, 'completed'),
      ),
    )
    .orderBy(asc(trials.n))
    .limit(1);
  return rows[0];
}
