import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { AbortRecord } from '../../domain/abort/record.ts';
import type { HostFacts } from '../../domain/fleet/slots.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import { at, fence } from './columns.ts';
import { jobs } from './job.ts';

/** One placement of a job on a slot. `trial_id` is the id of any job, here and in the tables below. */
export const runs = pgTable(
  'runs',
  {
    trialId: text('trial_id')
      .notNull()
      .references(() => jobs.id),
    placement: integer().notNull(),
    host: text().notNull(),
    slotId: text('slot_id').notNull(),
    /** What its host said of itself last before the run, of GPUs those that the run was given; null for the worker's own machine. */
    machine: jsonb().$type<HostFacts>(),
    /** The lease's counter: an older attempt cannot write or kill. */
    fence: fence('fence').notNull(),
    /** Raised by each monitor attempt: only the last one writes. */
    follower: integer().notNull().default(0),
    /** Bytes of output whose points are committed. */
    logOffset: bigint('log_offset', { mode: 'number' }).notNull().default(0),
    /** State of the line reader and the hard rules at `logOffset`. */
    reader: jsonb(),
    /** A decision of the monitor, once made, stands. */
    stop: jsonb().$type<{ label: FailureLabel; message: string }>(),
    /** What the rule of early abort made of this run: its first wish to stop it, or its last look. */
    abort: jsonb().$type<AbortRecord>(),
    /** What the supervisor wrote last. */
    end: jsonb(),
    /** What the machine lacked when the run failed: its end is no fault of the candidate. */
    shortage: text(),
    logTail: text('log_tail'),
    /** The end of its stdout alone, where the metric stands there; missing in runs from before, whose log it stands in. */
    stdoutTail: text('stdout_tail'),
    launchedAt: at('launched_at'),
    /** When a server said that it serves. */
    readyAt: at('ready_at'),
    endedAt: at('ended_at'),
    /** When the directory of a server's older run was removed, and what it had printed. */
    removedAt: at('removed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.trialId, t.placement] }),
    index('runs_wished')
      .on(t.trialId)
      .where(sql`(${t.abort}->>'abort')::boolean`),
    index('runs_open')
      .on(t.host)
      .where(sql`${t.endedAt} is null`),
    // Serves what ran in a stretch of time, on any slot: rows lie nearly in that order.
    index('runs_launched').using('brin', t.launchedAt),
    // Serves what ran on one slot in a stretch of time.
    index('runs_of_slot').on(t.slotId, t.launchedAt),
  ],
);

/** Progress of a run, in order; `value` may be NaN or infinite. */
export const points = pgTable(
  'points',
  {
    trialId: text('trial_id').notNull(),
    placement: integer().notNull(),
    seq: integer().notNull(),
    step: doublePrecision().notNull(),
    elapsed: doublePrecision().notNull(),
    value: doublePrecision().notNull(),
    /** Share of the budget that was spent, where the run said so. */
    share: doublePrecision(),
  },
  (t) => [primaryKey({ columns: [t.trialId, t.placement, t.seq] })],
);

/** What runs left. Contents that nobody needs any more are removed by `perpetua clean`: path, hash and size stay. */
export const artefacts = pgTable(
  'artefacts',
  {
    trialId: text('trial_id').notNull(),
    placement: integer().notNull(),
    path: text().notNull(),
    blobHash: text('blob_hash').notNull(),
    /** In bytes; missing in rows of older versions whose content is there. */
    size: bigint({ mode: 'number' }),
  },
  (t) => [primaryKey({ columns: [t.trialId, t.placement, t.path] })],
);

/** One counter for all slots: a lease of one is never taken for that of another. */
export const fences = pgSequence('slot_fences');

/** Where runs happen. A permit is an offer on a row; `launch` turns it into a lease. */
export const slots = pgTable(
  'slots',
  {
    id: text().primaryKey(),
    pool: text().notNull(),
    host: text().notNull(),
    index: integer().notNull(),
    gpu: text(),
    state: text().$type<'free' | 'offered' | 'leased' | 'retired'>().notNull().default('free'),
    /** The worker that an offer is made to. */
    holder: text(),
    offeredUntil: at('offered_until'),
    trialId: text('trial_id'),
    /** False: its host does not give it any more; whoever runs there may finish. */
    wanted: boolean().notNull().default(true),
    fence: fence('fence').notNull().default(0),
    freeSince: at('free_since').notNull().defaultNow(),
    leasedAt: at('leased_at'),
    /** Null where it was there before that was noted. */
    createdAt: at('created_at').defaultNow(),
  },
  (t) => [index('slots_pool').on(t.pool, t.state), uniqueIndex('slots_trial').on(t.trialId)],
);
