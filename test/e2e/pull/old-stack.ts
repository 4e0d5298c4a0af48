import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { runSpecOf } from '../../../activities/run/run-spec.ts';
import { connect } from '../../../db/connect.ts';
import { findInstallation } from '../../../db/research/research.ts';
import { createStore } from '../../../db/store.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { BEFORE_JOBS, jobsMigration } from '../../support/database/before-jobs.ts';
import type { TestStack } from '../../support/stack.ts';

/** The research of research-of-0.1.sql, and its trial that is under way. */
export const ID = 'pulled';
export const TRIAL = `${ID}/2`;
const HOST = 'old-box';
const SOON = { timeout: 120_000, interval: 100 };
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const holdFile = ({ home }: { home: string }): string => join(home, 'hold');
/** Seeds of the runs that have begun, in their order. */
export const startsIn = ({ home }: { home: string }): string[] =>
  existsSync(join(home, 'starts')) ? readFileSync(join(home, 'starts'), 'utf8').trim().split('\n') : [];

/** A worker of 0.1, as far as Temporal sees it: one that goes on with workflows, or one that only scores. */
export async function startOldWorker(
  stack: TestStack,
  does: 'all' | 'scores' = 'all',
): Promise<{ process: ChildProcess; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [here('worker-of-0.1.mjs'), stack.temporalAddress, does], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    gone.then(() => expect.unreachable('the worker of 0.1 ended before it polled')),
  ]);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  return { process: child, kill };
}

/** Whether a workflow has done something. */
export const isBegun = async ({ client }: TestStack, workflowId: string): Promise<boolean> =>
  ((await client.workflow.getHandle(workflowId).fetchHistory()).events ?? []).some(
    (event) => event.workflowTaskCompletedEventAttributes,
  );

/** The research as 0.1 left it: its rows, its workflows in Temporal (begun by the old worker) and the run of its trial, which is held. */
export async function leaveOldResearch(stack: TestStack, input: Record<string, unknown>): Promise<string> {
  writeFileSync(join(stack.home, 'host'), `${HOST}\n`);
  writeFileSync(holdFile(stack), '');
  await stack.startResearch(ID, { task: join(stack.home, 'tasks', ID), ...input });
  for (const id of [ID, TRIAL])
    await vi.waitFor(async () => expect(await isBegun(stack, id).catch(() => false)).toBe(true), SOON);
  const { runId } = await stack.client.workflow.getHandle(ID).describe();
  const rows = await readFile(here('research-of-0.1.sql'), 'utf8');
  await stack.query(BEFORE_JOBS);
  await stack.query(rows.replaceAll('{home}', stack.home).replaceAll('{run}', runId));
  await stack.query(await jobsMigration());
  await launch(stack);
  await vi.waitFor(() => expect(startsIn(stack)).toHaveLength(1), SOON);
  return runId;
}

/** The run of the trial, as its row says that it was launched. */
async function launch(stack: TestStack): Promise<void> {
  const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
  try {
    const store = createStore(db);
    const { id: installation } = await findInstallation(db);
    const compute = createLocalCompute({ home: stack.home, installation, host: HOST });
    const { trial, research } = await store.trial.loadTrialAndResearch(TRIAL);
    const version = await store.task.loadTaskVersion(trial.taskHash);
    const lease = await store.slot.findLease(TRIAL);
    if (!lease) throw new Error(`expected ${TRIAL} to hold a slot`);
    const hosts = { coresOf: () => 1, envOf: () => ({}), isOwnHost: () => true };
    const deps = { store, machine: { environment: {} }, scoring: { hmac: (text: string) => text }, hosts };
    await compute.stage(
      version.stageHash,
      await store.task.loadTaskFiles({ taskHash: version.hash, role: 'workspace' }),
    );
    await compute.launch(await runSpecOf(deps, { trial, research, version, lease, placement: 0 }));
  } finally {
    await close();
  }
}
