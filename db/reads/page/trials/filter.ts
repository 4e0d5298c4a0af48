import { sql, type SQL } from 'drizzle-orm';
import type { ShownVerdict, TrialKind, TrialStatus } from '../../../../domain/trial.ts';
import { shownVerdict } from '../../../trial/shown-verdict.ts';

/** Filters of a list of trials; each that is given must hold. */
export interface TrialFilter {
  kind?: TrialKind | undefined;
  /** `running`: without an outcome. */
  status?: TrialStatus | 'running' | undefined;
  verdict?: ShownVerdict | undefined;
  failure?: string | undefined;
  /** In the hypothesis, the reason or the failure, any case. */
  text?: string | undefined;
}

/** How a row of `trials` is told: its status, and its verdict; one that is under way has none. */
export const shownStatus = sql<TrialStatus | 'running'>`coalesce(trials.status, 'running')`;
export const shownVerdictOrNone = (researchId: string) =>
  sql<ShownVerdict>`coalesce(${shownVerdict(researchId)}, 'none')`;

/** The condition on a row of `trials` of a research, but for the text. */
export function filterCondition(
  researchId: string,
  { kind, status, verdict, failure }: Omit<TrialFilter, 'text'>,
): SQL {
  const conditions = [
    ...(kind === undefined ? [] : [sql`trials.kind = ${kind}`]),
    ...(status === undefined ? [] : [sql`${shownStatus} = ${status}`]),
    ...(verdict === undefined ? [] : [sql`${shownVerdictOrNone(researchId)} = ${verdict}`]),
    ...(failure === undefined ? [] : [sql`trials.failure = ${failure}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** The condition that a row has a text. */
export function textCondition(text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(trials.hypothesis ilike ${pattern} or coalesce(trials.reason, trials.failure_message) ilike ${pattern}
    or trials.failure ilike ${pattern})`;
}
