import type { Db } from '../db/connect.ts';
import { readResearches } from '../db/reads/read-research.ts';
import { staleProposer } from '../domain/search/proposer/stale-proposer.ts';

/** Of the researches under way, those that go on without the model that a worker could ask: a line each. */
export async function keptProposers(db: Db): Promise<string[]> {
  const { sound } = await readResearches(db);
  // A budget of no trials is a `perpetua check`, which proposes nothing.
  return sound
    .filter(({ phase, budget }) => phase !== 'stopped' && phase !== 'failed' && budget.trials !== 0)
    .flatMap(staleProposer);
}
