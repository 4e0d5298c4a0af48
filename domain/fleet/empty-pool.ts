import { GPU_POOL } from './own-gpus.ts';

/** Describes a pool without slots to the person who named it. */
export function describeEmptyPool(pool: string): string {
  const sentences = [`no machine offers a slot of the pool ${pool}`];
  if (pool === GPU_POOL)
    sentences.push('No worker found a usable GPU on this machine when it started (npx perpetua doctor says why)');
  sentences.push(
    "To run on this machine's CPU, choose the pool local, the default",
    'To use another machine, add it to fleet.yaml (docs/guides/fleet.md); npx perpetua fleet lists the present hosts',
  );
  return sentences.join('. ');
}
