import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import { baseline, claim } from '../../domain/gate/gate.ts';
import type { Verdict } from '../../domain/trial.ts';
import type { Db } from '../connect.ts';
import { trials } from '../schema.ts';
import { findResearch } from './research.ts';

export interface Estimate {
  candidateId: string;
  mean: number | null;
  sd: number | null;
  n: number;
}

/** What a person wants to see at a glance; small, since it travels in workflow history. */
export interface Board {
  baseline: Estimate;
  best: Estimate;
  verdicts: { n: number; verdict: Verdict; value: number | null; hypothesis: string }[];
}

/** Best so far, baseline and the last verdicts of a research. */
export async function readBoard(db: Db, researchId: string): Promise<Board | null> {
  const research = await findResearch(db, researchId);
  if (!research) return null;
  const rows = await db
    .select({ n: trials.n, verdict: trials.verdict, value: trials.value, hypothesis: trials.hypothesis })
    .from(trials)
    .where(
      and(eq(trials.researchId, researchId), isNotNull(trials.status), inArray(trials.kind, ['search', 'injected'])),
    )
    .orderBy(desc(trials.endedAt))
    .limit(3);
  return {
    baseline: estimate(baseline(research.gate)),
    best: estimate(claim(research.gate)),
    verdicts: rows.map((row) => ({
      n: row.n,
      verdict: row.verdict ?? 'none',
      value: finite(row.value),
      hypothesis: (row.hypothesis ?? '').slice(0, 80),
    })),
  };
}

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

const estimate = (from: { candidateId: string; mean: number | null; sd: number | null; n: number }): Estimate => ({
  candidateId: from.candidateId,
  mean: finite(from.mean),
  sd: finite(from.sd),
  n: from.n,
});
