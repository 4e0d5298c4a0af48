import { sql } from 'drizzle-orm';

/**
 * The condition on a row of `calls` that it is of a research, by the id of its trial: that spares a look at the trials. A
 * research's id may hold slashes, a trial's number holds none.
 */
export const callsOf = (researchId: string) => sql`(
  left(calls.trial_id, length(${researchId}::text) + 1) = ${researchId}::text || '/'
  and position('/' in substr(calls.trial_id, length(${researchId}::text) + 2)) = 0)`;
