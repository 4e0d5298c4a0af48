import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES, SIGNALS, WORKFLOWS } from '../../domain/messages.ts';
import { trialIdOf } from '../../domain/trial/ids.ts';
import { readTrial, type TrialView } from '../../db/reads/read-trial.ts';
import type { Tx } from '../../db/connect.ts';
import { readQueue } from '../../db/reads/status/read-queue.ts';
import { readRunning } from '../../db/reads/status/read-running.ts';
import { readWait } from '../../db/reads/status/read-wait.ts';
import { describeTrialsWait } from '../../view/wait.ts';
import { readTemporalState } from '../temporal/read-temporal-state.ts';
import { withDb, withTemporal } from '../context.ts';
import { CliError } from '../errors.ts';
import type { Io } from '../io.ts';
import { rootMessage } from '../temporal/root-message.ts';
import { awaitWorker } from '../../steering/await-worker.ts';

export interface OnceInput {
  /** A built-in name, or an absolute path. */
  task: string;
  researchId: string;
  /** Called every second while the check runs. `waits`: reason why a queued trial waits, in words, or null. */
  onProgress: (now: { stage: string; waits: string | null; seconds: number }) => void;
}

/** Runs the unmodified workspace once through workers, slot and evaluator, and returns its trial. */
export async function runOnce(io: Io, input: OnceInput): Promise<TrialView> {
  await withTemporal(io, async (temporal) => {
    const handle = await temporal.client.workflow.start(WORKFLOWS.research, {
      workflowId: input.researchId,
      taskQueue: QUEUES.main,
      args: [{ task: input.task, check: true }],
    });
    await awaitWorker(temporal, io);
    const { obstacle } = await readTemporalState(io, { researchId: input.researchId, trialIds: [] });
    if (obstacle) {
      await handle.terminate('perpetua check: no worker polls');
      throw new CliError('unreachable', `Expected a worker that runs the task: ${obstacle}.`);
    }
    const result = handle.result().then(
      () => undefined,
      (error: unknown) => error,
    );
    let ended = false;
    void result.finally(() => (ended = true));
    const begun = Date.now();
    while (!ended) {
      input.onProgress({
        ...(await withDb(io, (db) => stageOf(db, input.researchId))),
        seconds: (Date.now() - begun) / 1000,
      });
      if (io.signal?.aborted) {
        await handle.signal(SIGNALS.stop, { now: true });
        throw new CliError('failed', 'Stopped by Ctrl-C; the run is cancelled.');
      }
      await Promise.race([result, sleep(1000)]);
    }
    const failed = await result;
    if (failed) throw new CliError('failed', `The check could not run: ${rootMessage(failed)}`, { cause: failed });
  });
  const found = await withDb(io, (db) => readTrial(db, { trialId: trialIdOf(input.researchId, 1) }));
  if (!found)
    throw new CliError('failed', `Expected a trial of ${input.researchId}, found none. See the worker's log.`);
  return found;
}

/** Reads the stage of a check's only trial. `waits`: reason why a queued trial waits, in words, or null. */
export async function stageOf(db: Tx, researchId: string): Promise<{ stage: string; waits: string | null }> {
  const [trial] = await readRunning(db, { researchId });
  if (trial) {
    const { wait } = await readWait(db, { researchId });
    if ((trial.stage === 'queued' || trial.stage === 'preparing') && wait)
      return { stage: `waits for ${wait.why}`, waits: null };
    const queue = trial.stage === 'queued' ? await readQueue(db, { researchId }) : null;
    return { stage: trial.stage, waits: queue && describeTrialsWait(queue) };
  }
  // The trial's outcome is stored shortly before the research ends.
  const ended = await readTrial(db, { trialId: trialIdOf(researchId, 1) });
  return { stage: ended ? 'scoring' : 'starting', waits: null };
}
