import type { JobSpec, Restart } from '../job.ts';
import { UnknownMethod } from '../method/unknown-method.ts';

/** Facts about a job that its shape decides. */
export interface JobShape {
  /** Run in the workspace of its task, in place of the task's own; null where there is none. */
  command: string | null;
  /** It serves until it is told to stop, so that no time limits it; null for what comes to an end. */
  serves: { ready: string; restart: Restart } | null;
}

const SHAPES: { [S in JobSpec['shape']]: (spec: Extract<JobSpec, { shape: S }>) => JobShape } = {
  'to-an-end': ({ command = null }) => ({ command, serves: null }),
  'without-an-end': ({ command, ready, restart }) => ({ command, serves: { ready, restart } }),
  'short-runs': () => ({ command: null, serves: null }),
};

/** What the shape of a stored job says; throws UnknownMethod for one that this build does not have. */
export function shapeOf(spec: JobSpec): JobShape {
  if (!Object.hasOwn(SHAPES, spec.shape)) throw new UnknownMethod('job.shape', spec.shape, Object.keys(SHAPES));
  return (SHAPES[spec.shape] as (of: JobSpec) => JobShape)(spec);
}
