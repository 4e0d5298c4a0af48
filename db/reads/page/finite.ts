import { sql, type SQL } from 'drizzle-orm';

/**
 * A number of a row; null if it is not finite, or so large that a sum would not be finite: one such value would spoil
 * every sum.
 */
export const finite = (column: SQL): SQL => sql`case when ${column} between '-1e300' and '1e300' then ${column} end`;
