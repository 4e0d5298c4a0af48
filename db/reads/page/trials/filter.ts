import { sql, type SQL } from 'drizzle-orm';
import type { ShownVerdict, TrialKind, TrialStatus } from '../../../../domain/trial.ts';
import { shownVerdict } from '../../../trial/shown-verdict.ts';

/** Filters of a list of trials; all given ones must hold. */
export interface TrialFilter {
  kind?: TrialKind | undefined;
  /** `running`: without an outcome. */
  status?: TrialStatus | 'running' | undefined;
  verdict?: ShownVerdict | undefined;
  failure?: string | undefined;
  /** Text in the hypothesis, the reason or the failure; case does not matter. */
  text?: string | undefined;
  /** The trial ended then or later, in ISO 8601. */
  since?: string | undefined;
}

/** Status and verdict of a row of `trials` as they are shown; a trial under way has the verdict `none`. */
export const shownStatus = sql<TrialStatus | 'running'>`coalesce(trials.status, 'running')`;
export const shownVerdictOrNone = (researchId: string) =>
  sql<ShownVerdict>`coalesce(${shownVerdict(researchId)}, 'none')`;

/** Condition on a row of `trials` of a research, without the text. */
export function filterCondition(
  researchId: string,
  { kind, status, verdict, failure, since }: Omit<TrialFilter, 'text'>,
): SQL {
  const conditions = [
    kind === undefined ? undefined : sql`trials.kind = ${kind}`,
    status === undefined ? undefined : sql`${shownStatus} = ${status}`,
    verdict === undefined ? undefined : sql`${shownVerdictOrNone(researchId)} = ${verdict}`,
    failure === undefined ? undefined : sql`trials.failure = ${failure}`,
    since === undefined ? undefined : sql`coalesce(trials.ended_at >= ${since}::timestamptz, false)`,
  ].filter((condition) => condition !== undefined);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** Condition that a row of `trials` contains a text. */
export function textCondition(text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(trials.hypothesis ilike ${pattern} or coalesce(trials.reason, trials.failure_message) ilike ${pattern}
    or trials.failure ilike ${pattern})`;
}
