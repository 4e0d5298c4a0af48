import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { FleetPool, HostSpec } from '../../domain/fleet/fleet.ts';
import type { HostFacts } from '../../domain/fleet/slots.ts';
import { at } from './columns.ts';

/** Machines that are reached by SSH, as the fleet.yaml that was applied last says, GPUs of workers' own machines, and how they do. */
export const hosts = pgTable(
  'hosts',
  {
    name: text().primaryKey(),
    pool: text().notNull(),
    spec: jsonb().$type<HostSpec>().notNull(),
    poolSpec: jsonb('pool_spec').$type<FleetPool>().notNull(),
    /** `draining`: what runs may finish; `removed`: not in the fleet.yaml any more, the same until nothing runs. */
    state: text().$type<'serving' | 'draining' | 'removed'>().notNull().default('serving'),
    /** What it said of itself last; null before the first look. */
    facts: jsonb().$type<HostFacts>(),
    /** A worker looks at it, or did. */
    lookedAt: at('looked_at'),
    /** How often something there failed, or may have changed, so that a look which began earlier tells nothing. */
    doubts: integer().notNull().default(0),
    /** The last look that went well. */
    seenAt: at('seen_at'),
    /** Since a run last came to its end there: a look that goes well does not show that one would. */
    failures: integer().notNull().default(0),
    /** Set while it is in quarantine: nothing is placed there before, nor until a look goes well after that. */
    quarantinedUntil: at('quarantined_until'),
    /** Set while run directories that were left there since then, while it was away, are still to be removed. */
    leftSince: at('left_since'),
    /** What a person should know of it although it does well. */
    note: text(),
    lastError: text('last_error'),
    lastErrorAt: at('last_error_at'),
    appliedAt: at('applied_at').notNull().defaultNow(),
  },
  (t) => [index('hosts_pool').on(t.pool)],
);
