import type { Task } from '../../domain/task/task.ts';
import type { SandboxMode } from '../../infra/compute.ts';
import type { Part } from '../deps.ts';

/** Powers of a task's runs in its pool. */
export interface Exposure {
  /** One sentence; null where no machine of the pool answers now. */
  exposure: string | null;
  /** Of a sandbox that was preferred, and leaves them a way to the network and to our servers. */
  alert: string | null;
}

/** Asks the hosts of a task's pool for the powers of its runs. That is only told: where it cannot be had, the research is opened all the same. */
export async function exposureOf(deps: Part<'pools', 'protections'>, task: Task, mode: SandboxMode): Promise<Exposure> {
  const there = await deps.pools.protections(mode, task.run.resources.pool).catch(() => null);
  if (there === null) return { exposure: null, alert: null };
  const { exposure, network, notes } = there;
  const alert =
    mode === 'preferred' && !network
      ? `run.sandbox: preferred, and no sandbox can be had: trials are untrusted. ${exposure} ${notes.join(' ')}`
      : null;
  return { exposure, alert };
}
