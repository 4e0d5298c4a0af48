import { WorkflowNotFoundError, type Client, type WorkflowStartOptions } from '@temporalio/client';
import type { Opening, PendingRestart } from '../../db/research/restart.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/hand-over.ts';
import { STOPPING_REASONS } from '../../domain/research/phase.ts';
import { QUEUES, SIGNALS } from '../../domain/messages/names.ts';
import { cancelRun, lastRun } from '../../infra/temporal/open-runs.ts';
import { readHistory } from '../../infra/temporal/read-history.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'warn'>;

/** Begins what was ended, whoever noted it. Repeated, it does the rest; one that cannot be begun keeps no other from it. */
export async function beginAgain(from: From): Promise<void> {
  for (const row of await from.store.research.findRestarts())
    await beginOne(from, row).catch(async (error: unknown) => {
      const message = `${row.workflowId} was ended since an older version began it, and could not be begun again: ${String(error)}; start it by hand, or start a worker again`;
      from.warn(message);
      await from.store.research.insertAlert({ researchId: row.workflowId, message, once: true });
    });
}

async function beginOne({ client, store, warn }: From, row: PendingRestart): Promise<void> {
  const { workflowId, type, runId } = row;
  const last = await lastRun(client, workflowId);
  const ended = await readEnded(client, row);
  const isCancelled = ended?.isCancelled === true;
  // A person, or a worker that died since, may have begun the next run.
  const isOurs = last === null || (last.runId === runId && last.isTerminated);
  if (isOurs) {
    const known = type === 'research' ? await store.research.findOpening(workflowId) : undefined;
    await start(client, row, type === 'research' ? askedBefore(known, isCancelled) : null);
  }
  if (type === 'job' && isCancelled && (isOurs || last.isOpen)) await cancelRun(client, workflowId);
  const message = type === 'research' ? unreadMessage(ended?.unread) : null;
  if (message !== null) {
    warn(`${workflowId}: ${message}`);
    await store.research.insertAlert({ researchId: workflowId, message, once: true });
  }
  await store.research.forgetRestart(workflowId);
}

/** History of the ended run; null if the server does not have it any more. */
async function readEnded(client: Client, { workflowId, runId }: PendingRestart) {
  try {
    return await readHistory(client, { workflowId, runId });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

interface Asked {
  signal: string;
  signalArgs: unknown[];
}

/** The pause or stop that was in effect when the run was ended, as the signal that asks the next run for it. */
function askedBefore(known: Opening | undefined, isCancelled: boolean): Asked | null {
  if (isCancelled) return { signal: SIGNALS.stop, signalArgs: [{ now: true }] };
  if (known?.phase === 'stopping')
    return { signal: SIGNALS.stop, signalArgs: [{ now: known.reason === STOPPING_REASONS.now }] };
  return known?.phase === 'paused' ? { signal: SIGNALS.pause, signalArgs: [] } : null;
}

async function start(client: Client, row: PendingRestart, asked: Asked | null): Promise<void> {
  const { workflowId, type } = row;
  const { args, ...shown } = row.start;
  const options: WorkflowStartOptions = {
    ...shown,
    workflowId,
    taskQueue: type === 'trial' ? QUEUES.trial : QUEUES.main,
    args: [args],
    ...(type === 'research' ? { workflowTaskTimeout: WORKFLOW_TASK_MS } : {}),
  };
  if (asked) await client.workflow.signalWithStart(type, { ...options, ...asked });
  // A person, or another worker, may have been faster.
  else await client.workflow.start(type, { ...options, workflowIdConflictPolicy: 'USE_EXISTING' });
}

/** Words of the alert about signals that the ended run had not read; null if it had read all of them. */
function unreadMessage(unread: readonly string[] | undefined): string | null {
  if (unread === undefined)
    return 'The upgrade found no history of the run before it. Messages that you sent shortly before may be lost: send again what still holds.';
  if (unread.length === 0) return null;
  const names = [...new Set(unread)].map((name) => {
    const count = unread.filter((other) => other === name).length;
    return count === 1 ? name : `${name} (${count})`;
  });
  const [noun, pronoun] = unread.length === 1 ? ['message', 'it'] : ['messages', 'them'];
  return `The upgrade ended the run of this research before it had acted on ${unread.length} ${noun}. Send ${pronoun} again if still needed: ${names.join(', ')}`;
}
