import { setTimeout as sleep } from 'node:timers/promises';
import { readTried, type Tried } from '../../db/reads/read-log.ts';
import { QUEUES, SIGNALS, WORKFLOWS } from '../../domain/messages.ts';
import { withDb, withTemporal, type Temporal } from '../context.ts';
import { CliError, isPostgresOutage } from '../errors.ts';
import { type Io, printNote } from '../io.ts';
import { readTemporalState } from '../temporal/read-temporal-state.ts';
import { awaitWorker } from '../../steering/await-worker.ts';
import { rootMessage } from '../temporal/root-message.ts';

export interface Candidate {
  /** Name of the attack. */
  attack: string;
  /** Texts of the mutable files that the attack replaces, by path. All candidates replace the same files. */
  files: Record<string, string>;
}

export interface AttackInput {
  /** A built-in name, or an absolute path. */
  task: string;
  researchId: string;
  candidates: readonly Candidate[];
  /** Called on every poll with all trials that have ended so far. */
  onEnded: (tried: readonly Tried[]) => void;
}

/** Longest wait for the research to end after a stop signal. */
const STOPPED_MS = 20_000;
const NO_LIMITS = { trials: null, proposals: null, hours: null, slotSeconds: null, tokens: null, usd: null };

/**
 * Runs the unmodified workspace and then every candidate, through workers, sandbox, evaluator and gate.
 * Returns their trials.
 */
export async function runAttacks(io: Io, input: AttackInput): Promise<Tried[]> {
  const triedNow = tolerateOutage(io, () => triedIn(io, input.researchId));
  return withTemporal(io, async (temporal) => {
    const handle = await begin(temporal, input);
    await awaitWorker(temporal, io);
    const { obstacle } = await readTemporalState(io, { researchId: input.researchId, trialIds: [] });
    if (obstacle) {
      await handle.terminate('perpetua attack: no worker polls');
      throw new CliError('unreachable', `Expected a worker that runs the task: ${obstacle}.`);
    }
    let ended = false;
    const result = handle.result().then(
      () => undefined,
      (error: unknown) => error,
    );
    void result.finally(() => (ended = true));
    while (!ended) {
      const tried = await triedNow();
      if (tried) input.onEnded(tried);
      const broken = tried ? brokenBaseline(tried) : undefined;
      if (io.signal?.aborted || broken) {
        await handle.signal(SIGNALS.stop, { now: true });
        await Promise.race([result, sleep(STOPPED_MS)]);
        throw new CliError('failed', broken ?? 'Stopped by Ctrl-C; the runs are cancelled.');
      }
      await Promise.race([result, sleep(500)]);
    }
    const failed = await result;
    if (failed) throw new CliError('failed', `The attacks could not run: ${rootMessage(failed)}`, { cause: failed });
    for (;;) {
      const tried = await triedNow();
      if (tried) return tried;
      if (io.signal?.aborted) throw new CliError('failed', 'Stopped by Ctrl-C.');
      await sleep(500);
    }
  });
}

/** Wraps a read of Postgres: null while Postgres does not answer. Prints one note for each outage. */
export function tolerateOutage<T>(io: Io, read: () => Promise<T>): () => Promise<T | null> {
  let isDown = false;
  return async () => {
    try {
      const found = await read();
      isDown = false;
      return found;
    } catch (error) {
      if (!isPostgresOutage(error)) throw error;
      if (!isDown) printNote(io, 'Postgres does not answer; waiting for it');
      isDown = true;
      return null;
    }
  };
}

/** Starts the research with its first candidate: a research without injected candidates would end at its baseline. */
async function begin({ client }: Temporal, { task, researchId, candidates }: AttackInput) {
  const [first, ...others] = candidates.map(({ attack, files }) => ({ hypothesis: attack, files }));
  const handle = await client.workflow.signalWithStart(WORKFLOWS.research, {
    workflowId: researchId,
    taskQueue: QUEUES.main,
    args: [{ task, check: 'attack', budget: NO_LIMITS }],
    signal: SIGNALS.inject,
    signalArgs: [first],
  });
  for (const proposal of others) await handle.signal(SIGNALS.inject, proposal);
  return handle;
}

const triedIn = (io: Io, researchId: string): Promise<Tried[]> =>
  withDb(io, (db) => readTried(db, { researchId, kinds: ['baseline', 'injected'] }));

/** Error text if a baseline run failed: without a working baseline no attack can be judged. */
function brokenBaseline(tried: readonly Tried[]): string | undefined {
  const broken = tried.find(({ kind, status }) => kind === 'baseline' && status !== 'completed');
  return (
    broken &&
    `Expected the unmodified workspace to be scored, it ended as ${broken.failure ?? broken.status}: ` +
      `${broken.message ?? 'no message'}. See: npx perpetua check`
  );
}
