import { log } from '@temporalio/activity';
import type { Task } from '../../domain/task/task.ts';
import type { SandboxMode } from '../../infra/compute.ts';
import type { Part } from '../deps.ts';

/** The reach of a task's runs in its pool. */
export interface Exposure {
  /** One sentence; null where no machine of the pool answers now. */
  exposure: string | null;
  /** Of a sandbox that was preferred, and leaves them a way to the network and to our servers. */
  alert: string | null;
}

/** Says what a task's runs could do. It is only told, so a failure to find it out is logged and opens the research all the same. */
export async function exposureOf(deps: Part<'pools', 'protections'>, task: Task, mode: SandboxMode): Promise<Exposure> {
  const there = await deps.pools.protections(mode, task.run.resources.pool).catch((error: unknown) => {
    log.warn('what its runs could do is not known', { task: task.name, error: String(error) });
    return null;
  });
  if (there === null) return { exposure: null, alert: null };
  const { exposure, network, notes } = there;
  const alert =
    mode === 'preferred' && !network
      ? `run.sandbox: preferred, and no sandbox can be had: trials are untrusted. ${exposure} ${notes.join(' ')}`
      : null;
  return { exposure, alert };
}
