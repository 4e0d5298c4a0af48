import { sql } from 'drizzle-orm';
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
/** 64-bit transaction id, which is never reused; as text. */
export const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });
export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
export const fence = (name: string) => bigint(name, { mode: 'number' });
/** Transaction that inserted or last updated the row: a trigger sets it. '1' for rows older than the column. */
export const changedXid = () =>
  xid8('changed_xid')
    .notNull()
    .default(sql`'1'::xid8`);
