import type { JobSpec } from '../job.ts';
import type { JobArgs } from '../messages.ts';

/** What the workflow of a job that is known is begun again with; null for a job that no workflow of that type runs. */
export function jobArgsOf({ taskHash, spec }: { taskHash: string | null; spec: JobSpec }): JobArgs | null {
  if (taskHash === null || spec.shape === 'short-runs' || spec.command === undefined) return null;
  const { command } = spec;
  if (spec.shape === 'to-an-end') return { task: taskHash, command };
  return { task: taskHash, command, serve: { ready: spec.ready, restart: spec.restart } };
}
