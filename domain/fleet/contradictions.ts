import { AGENT_POOL } from '../agent/agent-pool.ts';
import { nearestKey } from '../text/nearest-key.ts';
import { type Problem, describeValue } from '../issue/problem.ts';
import { platformVariableProblems } from '../task/platform-variables.ts';
import type { Fleet, FleetPool } from './fleet.ts';

/** The pools of this machine's own slots: no fleet names them. */
const OWN_POOLS: readonly string[] = ['local', AGENT_POOL];

/** Contradictions in a fleet that fits the schema; empty if there are none. */
export function fleetContradictions(fleet: Fleet): Problem[] {
  return [...Object.entries(fleet.pools).flatMap(poolProblems), ...namedTwice(fleet), ...hostProblems(fleet)];
}

function poolProblems([name, pool]: [string, FleetPool]): Problem[] {
  const path = ['pools', name];
  const problems = platformVariableProblems(pool.env, [...path, 'env']);
  if (OWN_POOLS.includes(name))
    problems.push({
      path,
      expected: `another name than ${OWN_POOLS.join(' and ')}`,
      got: name,
      todo: 'rename it: slots of this machine have that name',
    });
  if (pool.perGpu !== undefined && pool.slots !== 'gpu')
    problems.push(shapeOnly([...path, 'perGpu'], { shape: 'gpu', got: pool.perGpu }));
  if (pool.cores !== undefined && pool.slots !== 'cpu')
    problems.push(shapeOnly([...path, 'cores'], { shape: 'cpu', got: pool.cores }));
  if (pool.memoryMb !== undefined && pool.slots !== 'cpu')
    problems.push(shapeOnly([...path, 'memoryMb'], { shape: 'cpu', got: pool.memoryMb }));
  return problems;
}

const shapeOnly = (path: Problem['path'], { shape, got }: { shape: string; got: unknown }): Problem => ({
  path,
  expected: `nothing unless slots is ${shape}`,
  got: describeValue(got),
  todo: 'remove it',
});

/** Problems of names given twice: two hosts with the same name would share slots and their rows. */
function namedTwice({ hosts }: Fleet): Problem[] {
  return hosts.flatMap(({ name }, i): Problem[] => {
    const first = hosts.findIndex((host) => host.name === name);
    if (first === i) return [];
    return [
      {
        path: ['hosts', i, 'name'],
        expected: 'each name once',
        got: `${name}, which hosts[${first}] has, too`,
        todo: 'rename one',
      },
    ];
  });
}

function hostProblems({ hosts, pools }: Fleet): Problem[] {
  return hosts.flatMap((host, i): Problem[] => {
    const problems = platformVariableProblems(host.env, ['hosts', i, 'env']);
    const pool = Object.hasOwn(pools, host.pool) ? pools[host.pool] : undefined;
    if (!pool) {
      const nearest = nearestKey(host.pool, Object.keys(pools));
      const todo = nearest === null ? 'name it under pools' : `did you mean ${nearest}?`;
      problems.push({
        path: ['hosts', i, 'pool'],
        expected: 'a pool of this file',
        got: describeValue(host.pool),
        todo,
      });
      return problems;
    }
    if (host.slots !== undefined && pool.slots !== 'cpu')
      problems.push(shapeOnly(['hosts', i, 'slots'], { shape: 'cpu', got: host.slots }));
    if (host.gpus !== 'auto' && pool.slots === 'cpu')
      problems.push({
        path: ['hosts', i, 'gpus'],
        expected: `no GPUs in a pool whose slots are cores (${host.pool})`,
        got: describeValue(host.gpus),
        todo: 'remove them, or move the host to another pool',
      });
    return problems;
  });
}
