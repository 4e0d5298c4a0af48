import { errorChain, isPostgresUnreachable, postgresUnreachableMessage } from '../db/postgres-unreachable.ts';
import type { Db } from '../db/connect.ts';
import { readResearches } from '../db/reads/read-research.ts';
import { staleProposer } from '../domain/search/proposer/stale-proposer.ts';

/** Error: Temporal cannot be reached. The message has the address and the remedy. */
export class TemporalAwayError extends Error {
  override readonly name = 'TemporalAwayError';
}

/** Error: `--queues` names a queue that does not exist. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/**
 * Errors that a person can fix, by name, with their exit codes: 2 refused, 3 unreachable, 0 stopped on request. Their
 * messages need no stack.
 */
const EXPECTED: Record<string, number> = {
  ConfigError: 2,
  NamespaceMissingError: 2,
  NewerSchemaError: 2,
  QueueError: 2,
  RefusedDatabaseError: 2,
  StoppedWaitingError: 0,
  NotRunningError: 3,
  TemporalAwayError: 3,
};

/** Reason why a worker did not start, and its exit code. An unexpected error keeps its stack. */
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

/** Lines for people, one for each research under way that continues without the model that this worker could call. */
export async function keptProposers(db: Db): Promise<string[]> {
  const { sound } = await readResearches(db);
  // A budget of no trials is a `perpetua check`, which proposes nothing.
  return sound
    .filter(({ phase, budget }) => phase !== 'stopped' && phase !== 'failed' && budget.trials !== 0)
    .flatMap(staleProposer);
}
