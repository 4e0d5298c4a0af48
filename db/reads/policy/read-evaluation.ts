import { and, eq, inArray } from 'drizzle-orm';
import type { EvaluatedTrial } from '../../../domain/learning/evaluation/summarize-evaluation.ts';
import { finiteOrNull } from '../../../domain/json/number.ts';
import { trials } from '../../schema.ts';
import type { Tx } from '../../connect.ts';

const KINDS = ['baseline', 'search'] as const;

/** Trials of an evaluation, in the order of their numbers, also those under way. */
export async function readEvaluation(db: Tx, { researchId }: { researchId: string }): Promise<EvaluatedTrial[]> {
  const { kind, status, failure, value, reward } = trials;
  const rows = await db
    .select({ kind, status, failure, value, reward })
    .from(trials)
    .where(and(eq(trials.researchId, researchId), inArray(kind, [...KINDS])))
    .orderBy(trials.n);
  return rows.map((row) => ({
    ...row,
    kind: row.kind === 'baseline' ? 'baseline' : 'search',
    value: finiteOrNull(row.value),
    reward: finiteOrNull(row.reward),
  }));
}
