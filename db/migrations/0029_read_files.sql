CREATE VIEW "public"."artefact_files" WITH (security_barrier = true) AS (select artefacts.trial_id, artefacts.placement, artefacts.path, artefacts.blob_hash, blobs.content
      from artefacts join blobs on blobs.hash = artefacts.blob_hash);--> statement-breakpoint
CREATE VIEW "public"."candidate_files" WITH (security_barrier = true) AS (select candidates.id as candidate_id, file.key as path, file.value as blob_hash, blobs.content
      from candidates cross join lateral jsonb_each_text(candidates.files) file left join blobs on blobs.hash = file.value);--> statement-breakpoint
CREATE VIEW "public"."workspace_files" WITH (security_barrier = true) AS (select task_files.task_hash, task_files.path, task_files.blob_hash, blobs.content, task_files.executable
      from task_files join blobs on blobs.hash = task_files.blob_hash where task_files.role = 'workspace');