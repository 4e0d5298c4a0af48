import { sql, type SQL } from 'drizzle-orm';

/** A number of a row, null where it is not finite: one that is none would spoil every sum. */
export const finite = (column: SQL): SQL =>
  sql`case when ${column} between '-1.7976931348623157e308' and '1.7976931348623157e308' then ${column} end`;
