import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { FleetPool, HostSpec } from '../../domain/fleet/fleet.ts';
import type { HostFacts } from '../../domain/fleet/slots.ts';
import { at } from './columns.ts';

/**
 * Hosts and their state: those of the fleet.yaml applied last, reached by SSH, and the GPUs of workers' own machines.
 */
export const hosts = pgTable(
  'hosts',
  {
    name: text().primaryKey(),
    pool: text().notNull(),
    spec: jsonb().$type<HostSpec>().notNull(),
    poolSpec: jsonb('pool_spec').$type<FleetPool>().notNull(),
    /** `draining`: accepts no new runs. `removed`: no longer in the fleet.yaml; its runs may finish. */
    state: text().$type<'serving' | 'draining' | 'removed'>().notNull().default('serving'),
    /** Facts of the last successful probe; null before the first one. */
    facts: jsonb().$type<HostFacts>(),
    /** Start of the last probe by any worker. */
    lookedAt: at('looked_at'),
    /** Number of failures and requested probes. A probe that began before the last of them is void. */
    doubts: integer().notNull().default(0),
    /** Time of the last successful probe. */
    seenAt: at('seen_at'),
    /**
     * Failures since a run last ended here. A successful probe does not reset them: it does not show that a run ends.
     */
    failures: integer().notNull().default(0),
    /** End of the quarantine; null: none. Placement needs a successful probe after it. */
    quarantinedUntil: at('quarantined_until'),
    /** Start of the absence that left run directories to be removed; null: none are left. */
    leftSince: at('left_since'),
    /** Advice about a host that works. */
    note: text(),
    lastError: text('last_error'),
    lastErrorAt: at('last_error_at'),
    appliedAt: at('applied_at').notNull().defaultNow(),
  },
  (t) => [index('hosts_pool').on(t.pool)],
);
