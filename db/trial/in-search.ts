import { sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import { KINDS_OUTSIDE_SEARCH } from '../../domain/trial.ts';

/** Condition: a trial of this kind is part of the search. `kind`: the column. */
export const inSearch = (kind: SQLWrapper): SQL =>
  sql`${kind} not in (${sql.raw(KINDS_OUTSIDE_SEARCH.map((outside) => `'${outside}'`).join(', '))})`;
