import type { HostCheck } from './check-host.ts';

/**
 * Makes a check that receives each host in turn. It adds a problem if the host's GPUs are of another model than the
 * first GPU of its pool: trials are compared within a pool.
 */
export function createMixedGpuCheck(): (check: HostCheck) => void {
  const models = new Map<string, { model: string; host: string }>();
  return ({ host, pool, machine, problems }) => {
    for (const model of new Set(machine?.gpus.map(({ name }) => name))) {
      const first = models.get(pool) ?? { model, host };
      models.set(pool, first);
      if (first.model !== model)
        problems.push(
          `its ${model} is in one pool with ${first.model} of ${first.host}: ` +
            'the result of a run depends on the GPU, and trials are compared within a pool; ' +
            'give each GPU model a pool of its own',
        );
    }
  };
}
