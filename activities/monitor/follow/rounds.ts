import { oneAtATime } from './one-at-a-time.ts';

const EVERY_MS = 500;

/** Does each piece of work twice a second until told to stop: none twice at a time, and none waits for another. */
export function startRounds(works: readonly (() => Promise<void>)[], fail: (error: unknown) => void): () => void {
  const guarded = works.map(oneAtATime);
  const round = setInterval(() => {
    for (const work of guarded) work().catch(fail);
  }, EVERY_MS);
  return () => clearInterval(round);
}
