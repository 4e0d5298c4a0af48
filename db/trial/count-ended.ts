import { type SQL, sql } from 'drizzle-orm';

/** Trials of a research that have ended: those numbered less those open, so that it costs the same at any length. */
export const countEnded = (researchId: SQL): SQL<number> => sql`(
  select r.last_n - (select count(*) from trials o where o.research_id = r.id and o.status is null)::int
  from researches r where r.id = ${researchId})`;
