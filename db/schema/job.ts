import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { JobKind, JobSpec } from '../../domain/job.ts';
import type { JobEnding } from '../../domain/job/ended.ts';
import { at, bytea } from './columns.ts';
import { researches } from './research.ts';
import { taskVersions } from './task.ts';

/** Jobs: all that runs on slots. A trial's job has the trial's id. */
export const jobs = pgTable(
  'jobs',
  {
    id: text().primaryKey(),
    kind: text().$type<JobKind>().notNull(),
    researchId: text('research_id').references(() => researches.id),
    /** Null if it runs no task's workspace. */
    taskHash: text('task_hash').references(() => taskVersions.hash),
    pool: text().notNull(),
    /** Jobs with a lower number get a pool's slots first; 3 is the default. */
    priority: integer().notNull(),
    spec: jsonb().$type<JobSpec>().notNull(),
    openedAt: at('opened_at').notNull().defaultNow(),
    /** Null while it is under way. */
    endedAt: at('ended_at'),
    /** Lowest placement since the job was opened last; above 0 if it was reopened. */
    firstPlacement: integer('first_placement').notNull().default(0),
    /** Ending; null for a trial, which has an outcome. */
    ending: jsonb().$type<JobEnding>(),
    /** Cause of its wait while it holds a slot, in words; null once its run began. A trial has `trials.waits_for`. */
    waitsFor: text('waits_for'),
  },
  (t) => [
    index('jobs_open')
      .on(t.pool)
      .where(sql`${t.endedAt} is null`),
    // An id of this form is a trial's.
    check('jobs_no_trial', sql`${t.kind} = 'trial' or ${t.id} !~ '/[0-9]+$'`),
  ],
);

/** Output of the jobs that keep it: stdout and stderr in order of arrival. */
export const outputs = pgTable(
  'outputs',
  {
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id),
    placement: integer().notNull(),
    /** Position in the run's whole output, in bytes. */
    offset: bigint({ mode: 'number' }).notNull(),
    content: bytea().notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.placement, t.offset] })],
);
