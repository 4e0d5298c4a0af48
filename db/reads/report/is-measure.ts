import { sql, type SQL } from 'drizzle-orm';

/**
 * Condition: a number is finite, and so small that its square is, too. Postgres' `avg` sums squares, and fails if they
 * overflow.
 */
export const isMeasure = (column: SQL): SQL => sql`${column} between '-1e100' and '1e100'`;
