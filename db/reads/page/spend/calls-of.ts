import { sql } from 'drizzle-orm';

/**
 * True for a row of `calls` of a research, by the id of its trial, which saves a read of the trials. A research's id
 * may contain slashes; a trial's number contains none.
 */
export const callsOf = (researchId: string) => sql`(
  left(calls.trial_id, length(${researchId}::text) + 1) = ${researchId}::text || '/'
  and position('/' in substr(calls.trial_id, length(${researchId}::text) + 2)) = 0)`;
