import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { QUEUES, WORKFLOWS } from '../../domain/messages.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/continue-as-new.ts';
import { TASK } from '../tasks/lr-knob/calibration.ts';
import { policyServers } from '../support/policy-servers.ts';
import { cpuSeconds } from '../support/cpu-seconds.ts';
import { type Arm, BATCH, idOf, rootOf } from './arms.ts';
import { readRepeatState } from './read.ts';

export interface Repeat {
  arm: Arm;
  seed: number;
  updates: number;
}

interface Environment {
  client: Client;
  db: pg.Pool;
  home: string;
  signal: AbortSignal;
}

const POLL_MS = 500;

/**
 * Runs a repeat to its end, or continues a started one. Returns the CPU seconds of workers and policy server; null if
 * the repeat had ended before, or was started by an earlier process. Throws if the signal comes first.
 */
export async function runRepeat(
  { arm, seed, updates }: Repeat,
  { client, db, home, signal }: Environment,
): Promise<number | null> {
  const id = idOf(arm, seed);
  if ((await readRepeatState(db, id, updates)) === 'finished') return null;
  const before = await db.query('select 1 from researches where id = $1', [id]);
  const began = cpuOf(home);
  await client.workflow.start(WORKFLOWS.research, {
    workflowId: id,
    taskQueue: QUEUES.main,
    workflowTaskTimeout: WORKFLOW_TASK_MS,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [
      {
        task: TASK,
        seed: rootOf(seed),
        search: { update: arm.update },
        budget: { trials: BATCH * updates, proposals: BATCH * updates },
      },
    ],
  });
  for (let state = 'open'; state !== 'finished'; state = await readRepeatState(db, id, updates)) {
    if (state === 'short') throw new Error(`expected ${updates} updates of ${id}, it ended with fewer`);
    await sleep(POLL_MS, undefined, { signal });
  }
  return before.rowCount === 0 ? cpuOf(home) - began : null;
}

/** CPU seconds of this process with its descendants, and of the policy servers of the home, which outlive it. */
function cpuOf(home: string): number {
  return [process.pid, ...policyServers(home).map(({ pid }) => pid)].reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}
