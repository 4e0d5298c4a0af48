import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Db } from '../../db/connect.ts';
import { findJob } from '../../db/job/job.ts';
import type { JobEnded } from '../../domain/job/ended.ts';
import { CliError, isPostgresOutage } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { rootMessage } from '../temporal/root-message.ts';
import { listenForInterrupts } from '../up/interrupts.ts';
import type { JobPrinter } from './job-printer.ts';

const POLL_MS = 250;

/** Follows a job to its end and prints its output. The first Ctrl-C cancels the job, the second stops the waiting. */
export async function followJob(
  io: Io,
  { db, handle, printer }: { db: Db; handle: WorkflowHandle; printer: JobPrinter },
): Promise<JobEnded> {
  const id = handle.workflowId;
  const interrupts = listenForInterrupts(io.signal, undefined, ['SIGINT']);
  const cancel = (): void => {
    printNote(io, 'stopping it; Ctrl-C again stops waiting for it');
    void handle.cancel().catch((error: unknown) => printNote(io, `It could not be stopped: ${rootMessage(error)}`));
  };
  interrupts.first.addEventListener('abort', cancel, { once: true });
  if (interrupts.first.aborted) cancel();
  let isDown = false;
  const drain = async (): Promise<boolean> => {
    try {
      await printer.drain(db);
      isDown = false;
    } catch (error) {
      if (!isPostgresOutage(error)) throw error;
      if (!isDown) printNote(io, 'Postgres does not answer; waiting for it');
      isDown = true;
    }
    return !isDown;
  };
  try {
    let ended: JobEnded | undefined;
    let failed: unknown;
    void outcomeOf(io, { db, handle }, interrupts.second).then(
      (outcome) => (ended = outcome),
      (error: unknown) => (failed = error),
    );
    for (;;) {
      if (interrupts.second.aborted)
        throw new CliError(
          'failed',
          `Stopped waiting; it still ends by itself. To see its output: npx perpetua run --attach ${id}`,
        );
      const over = ended !== undefined || failed !== undefined;
      // Drains once more after the end: the last output is stored before the workflow ends.
      if ((await drain()) && over) break;
      await sleep(POLL_MS);
    }
    if (ended === undefined) throw failed;
    return ended;
  } finally {
    interrupts.dispose();
  }
}

/** Awaits the result of the job's workflow. Retries while Temporal is unreachable, until the signal. */
async function outcomeOf(
  io: Io,
  { db, handle }: { db: Db; handle: WorkflowHandle },
  until: AbortSignal,
): Promise<JobEnded> {
  for (let isNoted = false; ; isNoted = true) {
    try {
      return (await handle.result()) as JobEnded;
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      if (error instanceof Error && error.cause instanceof Error && error.cause.name === 'TerminatedFailure')
        throw new CliError(
          'failed',
          `Its workflow was terminated. Go on with it: npx perpetua run --attach ${handle.workflowId}`,
          { cause: error },
        );
      if (name === 'WorkflowNotFoundError' && (await isKnown(db, handle.workflowId, until)))
        throw new CliError(
          'failed',
          'Expected its workflow in Temporal, found it only in Postgres: ' +
            'another Temporal server may have that address now. ' +
            `Go on with it: npx perpetua run --attach ${handle.workflowId}`,
          { cause: error },
        );
      if (name === 'WorkflowFailedError' || name === 'WorkflowNotFoundError')
        throw new CliError('failed', `The command could not be run: ${rootMessage(error)}`, { cause: error });
      if (until.aborted) throw error;
      if (!isNoted) printNote(io, `Temporal does not answer; waiting for it: ${rootMessage(error)}`);
      await sleep(1000);
    }
  }
}

/** True if Postgres has the job. Retries while Postgres is unreachable, until the signal. */
async function isKnown(db: Db, id: string, until: AbortSignal): Promise<boolean> {
  for (;;)
    try {
      return (await findJob(db, id)) !== undefined;
    } catch (error) {
      if (!isPostgresOutage(error) || until.aborted) throw error;
      await sleep(1000);
    }
}
