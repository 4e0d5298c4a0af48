import { errorChain, isPostgresUnreachable, postgresUnreachableMessage } from '../db/postgres-unreachable.ts';
import type { Db } from '../db/connect.ts';
import { readResearches } from '../db/reads/read-research.ts';
import { staleProposer } from '../domain/search/proposer/stale-proposer.ts';

/** Temporal cannot be reached; the message says where, and what to do. */
export class TemporalAwayError extends Error {
  override readonly name = 'TemporalAwayError';
}

/** `--queues` names a queue that is none. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/** Errors that a person mends, by name, and the exit code: 2 refused, 3 cannot reach, 0 stopped as asked. Their messages say everything. */
const EXPECTED: Record<string, number> = {
  ConfigError: 2,
  NewerSchemaError: 2,
  QueueError: 2,
  StoppedWaitingError: 0,
  NotRunningError: 3,
  TemporalAwayError: 3,
};

/** Why a worker did not start, and the exit code that says so; what nobody foresaw keeps its stack. */
export function describeStart(error: unknown): { message: string; code: number } {
  const chain = errorChain(error);
  for (const cause of chain) {
    const code = EXPECTED[cause.name];
    if (code !== undefined) return { message: cause.message, code };
  }
  const postgres = chain.find(isPostgresUnreachable);
  if (postgres) return { message: postgresUnreachableMessage(postgres), code: 3 };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 };
}

/** Of the researches under way, those that go on without the model that a worker could ask: a line each. */
export async function keptProposers(db: Db): Promise<string[]> {
  const { sound } = await readResearches(db);
  // A budget of no trials is a `perpetua check`, which proposes nothing.
  return sound
    .filter(({ phase, budget }) => phase !== 'stopped' && phase !== 'failed' && budget.trials !== 0)
    .flatMap(staleProposer);
}
