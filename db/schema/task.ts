import { sql } from 'drizzle-orm';
import { boolean, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { Task } from '../../domain/task/task.ts';
import { at, bytea } from './columns.ts';

/** One row: the uuid in the name of everything that this database's workers leave on a host. */
export const installations = pgTable('installations', {
  id: uuid().primaryKey(),
  /** Secret that makes evaluators' questions unpredictable; it never leaves the workers. */
  secret: text()
    .notNull()
    .default(sql`gen_random_uuid()::text || gen_random_uuid()::text`),
  createdAt: at('created_at').notNull().defaultNow(),
});

/** File contents by SHA-256. */
export const blobs = pgTable('blobs', {
  hash: text().primaryKey(),
  content: bytea().notNull(),
});

/** A task as it was when it was read: later edits on disk do not change it. */
export const taskVersions = pgTable('task_versions', {
  hash: text().primaryKey(),
  name: text().notNull(),
  task: jsonb().$type<Task>().notNull(),
  yaml: text().notNull(),
  prompt: text(),
  stageHash: text('stage_hash').notNull(),
  /** True if its stage also holds the originals of the mutable files, as stages of older versions did. */
  stagesMutable: boolean('stages_mutable').notNull().default(false),
  immutableHash: text('immutable_hash').notNull(),
  evaluatorHash: text('evaluator_hash').notNull(),
  /** An incumbent survives a change of task only if this is equal. */
  metricKey: text('metric_key').notNull(),
  mutablePaths: jsonb('mutable_paths').$type<string[]>().notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
});

export const taskFiles = pgTable(
  'task_files',
  {
    taskHash: text('task_hash')
      .notNull()
      .references(() => taskVersions.hash),
    role: text().$type<'workspace' | 'evaluator' | 'environment'>().notNull(),
    path: text().notNull(),
    blobHash: text('blob_hash')
      .notNull()
      .references(() => blobs.hash),
    executable: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.taskHash, t.role, t.path] })],
);
