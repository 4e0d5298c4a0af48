import type { JobSpec, Restart } from '../job.ts';
import type { AgentRun } from '../agent/agent-run.ts';
import { UnknownMethod } from '../method/unknown-method.ts';

/** Facts about a job that follow from its shape. */
export interface JobShape {
  /** Command that runs in the task's workspace instead of the task's own; null if there is none. */
  command: string | null;
  /** Settings of a server, which no time limit ends; null for a job that ends by itself. */
  serves: { ready: string; restart: Restart } | null;
  /** Coding agent that makes a proposal; null for any other job. */
  agent: AgentRun | null;
}

const SHAPES: { [S in JobSpec['shape']]: (spec: Extract<JobSpec, { shape: S }>) => JobShape } = {
  'to-an-end': ({ command = null, agent = null }) => ({ command, serves: null, agent }),
  'without-an-end': ({ command, ready, restart }) => ({ command, serves: { ready, restart }, agent: null }),
  'short-runs': () => ({ command: null, serves: null, agent: null }),
};

/** The facts of a stored job's shape. Throws UnknownMethod for a shape that this build does not have. */
export function shapeOf(spec: JobSpec): JobShape {
  if (!Object.hasOwn(SHAPES, spec.shape)) throw new UnknownMethod('job.shape', spec.shape, Object.keys(SHAPES));
  return (SHAPES[spec.shape] as (spec: JobSpec) => JobShape)(spec);
}
