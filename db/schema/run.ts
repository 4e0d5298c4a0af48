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
    jobId: text('trial_id')
      .notNull()
      .references(() => jobs.id),
    placement: integer().notNull(),
    host: text().notNull(),
    slotId: text('slot_id').notNull(),
    /** Facts of its host before the run, with only the GPUs that the run got; null for the worker's own machine. */
    machine: jsonb().$type<HostFacts>(),
    /** Models of its GPUs, or of its CPU, and its slot's share, as `hardwareClass` writes them; null: unknown. */
    hardware: text(),
    /** Name of the Python environment that it ran in, a hash of the lock and the interpreter; null: none of ours. */
    environment: text(),
    /** Fence of its lease: an older attempt can neither write nor kill. */
    fence: fence('fence').notNull(),
    /** Raised by each monitor attempt: only the last attempt writes. */
    follower: integer().notNull().default(0),
    /** Bytes of output whose points are committed. */
    logOffset: bigint('log_offset', { mode: 'number' }).notNull().default(0),
    /** State of the line reader and the hard rules at `logOffset`. */
    reader: jsonb(),
    /** The monitor's decision to stop the run; it is final. */
    stop: jsonb().$type<{ label: FailureLabel; message: string }>(),
    /** Early abort's record: the first wish to stop the run, or the last look. */
    abort: jsonb().$type<AbortRecord>(),
    /** Last record that the supervisor wrote. */
    end: jsonb(),
    /** Shortage of the machine when the run failed: the failure is not the candidate's fault. */
    shortage: text(),
    /** Description of the wait for a CPU that made the run's end say nothing about its candidate; null: none. */
    contention: text(),
    logTail: text('log_tail'),
    /** End of stdout alone, if the metric is read there; null for older runs, whose metric is in `log_tail`. */
    stdoutTail: text('stdout_tail'),
    launchedAt: at('launched_at'),
    /** Time when a server reported that it serves. */
    readyAt: at('ready_at'),
    endedAt: at('ended_at'),
    /** Time when the directory of a server's older run and its output were removed. */
    removedAt: at('removed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.placement] }),
    index('runs_wished')
      .on(t.jobId)
      .where(sql`(${t.abort}->>'abort')::boolean`),
    index('runs_contended')
      .on(t.jobId)
      .where(sql`${t.contention} is not null`),
    index('runs_open')
      .on(t.host)
      .where(sql`${t.endedAt} is null`),
    // Serves the runs of a time range, on any slot. Rows lie nearly in order of launch.
    index('runs_launched').using('brin', t.launchedAt),
    // Serves the runs that were under way in a time range up to now.
    index('runs_ended').on(t.endedAt),
    // Serves the runs of one slot in a time range.
    index('runs_of_slot').on(t.slotId, t.launchedAt),
  ],
);

/** Progress of a run, in order; `value` may be NaN or infinite. */
export const points = pgTable(
  'points',
  {
    jobId: text('trial_id').notNull(),
    placement: integer().notNull(),
    seq: integer().notNull(),
    step: doublePrecision().notNull(),
    elapsed: doublePrecision().notNull(),
    value: doublePrecision().notNull(),
    /** Share of the budget that was spent, if the run reported it. */
    share: doublePrecision(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.placement, t.seq] })],
);

/** Files that runs leave. `perpetua clean` removes contents that nothing needs; path, hash and size stay. */
export const artefacts = pgTable(
  'artefacts',
  {
    jobId: text('trial_id').notNull(),
    placement: integer().notNull(),
    path: text().notNull(),
    blobHash: text('blob_hash').notNull(),
    /** Bytes; null in rows of older versions whose content is stored. */
    size: bigint({ mode: 'number' }),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.placement, t.path] })],
);

/** One counter for all slots, so that a fence identifies one lease. */
export const fences = pgSequence('slot_fences');

/** Slots. A permit is an offer of a row; `launch` turns it into a lease. */
export const slots = pgTable(
  'slots',
  {
    id: text().primaryKey(),
    pool: text().notNull(),
    host: text().notNull(),
    index: integer().notNull(),
    gpu: text(),
    state: text().$type<'free' | 'offered' | 'leased' | 'retired'>().notNull().default('free'),
    /** Worker that the slot is offered to. */
    holder: text(),
    offeredUntil: at('offered_until'),
    jobId: text('trial_id'),
    /** False: its host no longer provides the slot; the current run may finish. */
    wanted: boolean().notNull().default(true),
    fence: fence('fence').notNull().default(0),
    freeSince: at('free_since').notNull().defaultNow(),
    leasedAt: at('leased_at'),
    /** Null if the slot is older than this column. */
    createdAt: at('created_at').defaultNow(),
  },
  (t) => [index('slots_pool').on(t.pool, t.state), uniqueIndex('slots_trial').on(t.jobId)],
);
