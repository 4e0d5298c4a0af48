import { isAskedKind, type JobKind, type JobSpec } from '../job.ts';
import type { JobArgs } from '../messages.ts';
import { shapeOf } from '../job/shape-of.ts';

interface Known {
  kind: JobKind;
  taskHash: string | null;
  spec: JobSpec;
}

/**
 * What the workflow of a job that is known is begun again with; null for a job that no workflow of that type runs. Throws
 * UnknownMethod for one of a newer version.
 */
export function jobArgsOf({ kind, taskHash, spec }: Known): JobArgs | null {
  const { command, serves } = shapeOf(spec);
  if (!isAskedKind(kind) || taskHash === null || command === null) return null;
  return { task: taskHash, command, ...(serves ? { serve: serves } : {}) };
}
