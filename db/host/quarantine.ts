import { eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { insertEvents } from '../event/insert-events.ts';
import { hosts } from '../schema.ts';

/**
 * Whether a host was out before a statement that takes it back: a part of that statement, since whoever applies a fleet locks
 * the table first, and would wait for a row that waits for the table.
 */
export const quarantineOf = (tx: Tx, name: string) =>
  tx.$with('before').as(
    tx
      .select({ wasOut: sql<boolean>`${hosts.quarantinedUntil} is not null`.as('was_out') })
      .from(hosts)
      .where(eq(hosts.name, name))
      .for('no key update'),
  );

/** A host that was out is not any more. */
export const reportHostBack = (tx: Tx, host: string, why: string): Promise<void> =>
  insertEvents(tx, [{ kind: 'host-back', researchId: null, data: { host, why } }]);
