import { eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { insertEvents } from '../event/insert-events.ts';
import { hosts } from '../schema.ts';

/**
 * Reads if a host was quarantined before the statement that ends the quarantine. It is a part of that statement:
 * applyFleet locks the table first, and would deadlock with a transaction that locks a row first.
 */
export const quarantineOf = (tx: Tx, name: string) =>
  tx.$with('before').as(
    tx
      .select({ wasOut: sql<boolean>`${hosts.quarantinedUntil} is not null`.as('was_out') })
      .from(hosts)
      .where(eq(hosts.name, name))
      .for('no key update'),
  );

/** Writes the event that a host is no longer quarantined. */
export const reportHostBack = (tx: Tx, host: string, why: string): Promise<void> =>
  insertEvents(tx, [{ kind: 'host-back', researchId: null, data: { host, why } }]);
