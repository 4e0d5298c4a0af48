import { sql } from 'drizzle-orm';
import { boolean, integer, pgView, text } from 'drizzle-orm/pg-core';
import { bytea } from './columns.ts';

// Evaluators and candidates share the table of blobs. A role that may read these views, and not the tables, sees no
// evaluator.

const ITS_FILES = sql`cross join lateral jsonb_each_text(candidates.files) file`;

/** The mutable files of each candidate. */
export const candidateFiles = pgView('candidate_files', {
  candidateId: text('candidate_id').notNull(),
  path: text().notNull(),
  blobHash: text('blob_hash').notNull(),
  /** Null if the blob was removed. */
  content: bytea(),
})
  .with({ securityBarrier: true })
  .as(
    sql`select candidates.id as candidate_id, file.key as path, file.value as blob_hash, blobs.content
      from candidates ${ITS_FILES} left join blobs on blobs.hash = file.value`,
  );

/** The workspace of each version of a task, without its evaluator. */
export const workspaceFiles = pgView('workspace_files', {
  taskHash: text('task_hash').notNull(),
  path: text().notNull(),
  blobHash: text('blob_hash').notNull(),
  content: bytea().notNull(),
  executable: boolean().notNull(),
})
  .with({ securityBarrier: true })
  .as(
    sql`select task_files.task_hash, task_files.path, task_files.blob_hash, blobs.content, task_files.executable
      from task_files join blobs on blobs.hash = task_files.blob_hash where task_files.role = 'workspace'`,
  );

/** Artefacts of runs whose contents are still there. */
export const artefactFiles = pgView('artefact_files', {
  trialId: text('trial_id').notNull(),
  placement: integer().notNull(),
  path: text().notNull(),
  blobHash: text('blob_hash').notNull(),
  content: bytea().notNull(),
})
  .with({ securityBarrier: true })
  .as(
    sql`select artefacts.trial_id, artefacts.placement, artefacts.path, artefacts.blob_hash, blobs.content
      from artefacts join blobs on blobs.hash = artefacts.blob_hash`,
  );
