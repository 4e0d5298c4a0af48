import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { PendingRestart } from '../../db/research/restart.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/continue-as-new.ts';
import { pauseAndStopAtEnd, isObject } from '../../domain/floor/pause-and-stop.ts';
import { isEndReason, RESTART_MEMO } from '../../domain/floor/floor.ts';
import { withPauseAndStop } from '../../domain/floor/restart-args.ts';
import { QUEUES } from '../../domain/messages/names.ts';
import { cancelRun, lastRun } from '../../infra/temporal/open-runs.ts';
import { type ReadHistory, readHistory } from '../../infra/temporal/read-history.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'warn'>;

/** Starts terminated workflows again, whichever worker noted them. Safe to repeat; a failed start blocks no other. */
export async function startNotedRestarts(from: From): Promise<void> {
  for (const row of await from.store.research.findRestarts())
    await beginOne(from, row).catch(async (error: unknown) => {
      const message =
        `this worker ended ${row.workflowId} of an older version, and cannot start it again: ` +
        `${String(error)}; start it by hand, or restart a worker`;
      from.warn(message);
      await from.store.research.insertAlert({ researchId: row.workflowId, message, once: true });
    });
}

async function beginOne({ client, store, warn }: From, row: PendingRestart): Promise<void> {
  const { workflowId, type, runId } = row;
  const last = await lastRun(client, workflowId);
  const ended = await readEnded(client, row);
  const isEndedHere = ended === null || isEndReason(ended.terminatedFor);
  // A person may have terminated the run or started the next one. A worker that died since may have started it, too.
  const isOurs = last === null || (last.runId === runId && last.isTerminated && isEndedHere);
  if (isOurs) await start(client, row, ended);
  if (type === 'research') {
    const message = isEndedHere ? unreadMessage(ended?.unread) : null;
    if (message !== null) {
      warn(`${workflowId}: ${message}`);
      await store.research.insertAlert({ researchId: workflowId, message, once: true });
    }
  } else if (ended?.isCancelled && (isOurs || last.memo?.[RESTART_MEMO] === runId)) await cancelRun(client, workflowId);
  await store.research.forgetRestart(workflowId);
}

/** History of the ended run; null if the server does not have it any more. */
async function readEnded(client: Client, { workflowId, runId }: PendingRestart): Promise<ReadHistory | null> {
  try {
    return await readHistory(client, { workflowId, runId });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function start(client: Client, row: PendingRestart, ended: ReadHistory | null): Promise<void> {
  const { workflowId, type, runId } = row;
  const { args, memo, ...shown } = row.start;
  const isResearch = type === 'research';
  const taskTimeout: { workflowTaskTimeout?: number } = isResearch ? { workflowTaskTimeout: WORKFLOW_TASK_MS } : {};
  await client.workflow.start(type, {
    ...shown,
    memo: isResearch ? memo : { ...memo, [RESTART_MEMO]: runId },
    workflowId,
    taskQueue: type === 'trial' ? QUEUES.trial : QUEUES.main,
    // A signal may have come after the arguments were noted.
    args: [isResearch && ended && isObject(args) ? withPauseAndStop(args, pauseAndStopAtEnd(ended)) : args],
    ...taskTimeout,
    // A person, or another worker, may have started it first: that run continues as it was started.
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

/** Text of the alert about signals that the ended run had not read; null if it had read all of them. */
function unreadMessage(unread: readonly string[] | undefined): string | null {
  if (unread === undefined)
    return (
      'The upgrade found no history of the run before it. ' +
      'Messages that you sent shortly before may be lost: send again what still holds.'
    );
  if (unread.length === 0) return null;
  const names = [...new Set(unread)].map((name) => {
    const count = unread.filter((other) => other === name).length;
    return count === 1 ? name : `${name} (${count})`;
  });
  const [noun, pronoun] = unread.length === 1 ? ['message', 'it'] : ['messages', 'them'];
  return (
    `The upgrade ended the run of this research before it had acted on ${unread.length} ${noun}. ` +
    `Send ${pronoun} again if still needed: ${names.join(', ')}`
  );
}
