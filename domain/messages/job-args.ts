import { isAskedKind, type JobKind, type JobSpec } from '../job.ts';
import type { JobArgs } from '../messages.ts';
import { shapeOf } from '../job/shape-of.ts';

interface KnownJob {
  kind: JobKind;
  taskHash: string | null;
  spec: JobSpec;
}

/**
 * Arguments that restart the workflow of a stored job; null if the job has no `job` workflow of its own. Throws
 * UnknownMethod for a job from a newer version.
 */
export function jobArgsOf({ kind, taskHash, spec }: KnownJob): JobArgs | null {
  const { command, serves } = shapeOf(spec);
  if (!isAskedKind(kind) || taskHash === null || command === null) return null;
  return { task: taskHash, command, ...(serves ? { serve: serves } : {}) };
}
