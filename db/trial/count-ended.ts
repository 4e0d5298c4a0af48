import { type SQL, sql } from 'drizzle-orm';

/** Number of ended trials of a research: numbered less open ones, so that the cost does not grow with the research. */
export const countEnded = (researchId: SQL): SQL<number> => sql`(
  select r.last_n - (select count(*) from trials o where o.research_id = r.id and o.status is null)::int
  from researches r where r.id = ${researchId})`;
