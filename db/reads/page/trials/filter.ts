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

/** Verdict of a row of `trials` as it is shown; a trial under way has the verdict `none`. */
export const shownVerdictOrNone = (researchId: string) =>
  sql<ShownVerdict>`coalesce(${shownVerdict(researchId)}, 'none')`;

/** Condition that a row of `trials` contains a text. */
export function textCondition(text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(trials.hypothesis ilike ${pattern} or coalesce(trials.reason, trials.failure_message) ilike ${pattern}
    or trials.failure ilike ${pattern})`;
}
