import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { steering } from '../../support/e2e/steer.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';

/** Two unused GPUs of a stand-in for nvidia-smi. */
const GPUS = [`GPU-${randomUUID()}`, `GPU-${randomUUID()}`];
const LIST = GPUS.map((uuid, index) => `echo "${index}, ${uuid}, Stand-In, 81920"`).join('; ');
const SMI = `#!/bin/sh\ncase $1 in *query-gpu*) ${LIST} ;; esac\n`;
const RUNS = `select count(*)::int as placed, count(distinct gpu)::int as gpus, bool_and(runs.placement = 0) as first
  from runs join slots on slots.id = runs.slot_id where launched_at is not null and gpu = any($1)`;

let stack: TestStack;
let env: Record<string, string>;

beforeAll(async () => {
  stack = await startTestStack();
  const bin = join(stack.home, 'fake-bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'nvidia-smi'), SMI, { mode: 0o755 });
  env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(':'),
    HOME: stack.home,
    PERPETUA_HOME: stack.home,
    PERPETUA_GPUS: 'auto',
    TEMPORAL_ADDRESS: stack.temporalAddress,
    DATABASE_URL: stack.databaseUrl,
  };
});
afterAll(() => stack.stop());

const perpetua = async (...words: string[]): Promise<string> =>
  (
    await promisify(execFile)(process.execPath, [join(packageRoot(), 'scripts', 'perpetua.mjs'), ...words], {
      cwd: stack.home,
      env,
    })
  ).stdout;

test("GPUs of a worker's machine are slots without a fleet.yaml and SSH, also after its death", async () => {
  const worker = await stack.startWorker({ slots: 1, env });
  await perpetua('init', 'my-gpu-task', '--pool', 'gpu');
  await perpetua('start', 'my-gpu-task');
  await stack.until(
    'a run on each GPU',
    `select gpus = 2 as done, found.* from (${RUNS} and runs.ended_at is null) found`,
    [GPUS],
  );
  await worker.kill();
  await stack.startWorker({ slots: 1, env });
  await stack.until(
    'four runs, none of which was placed twice, with a score each',
    `select (select count(*) from trials where status = 'completed') >= 4 and first as done, found.*
     from (${RUNS}) found`,
    [GPUS],
  );
  expect(await perpetua('fleet')).toMatch(/gpus-of-\S+ +gpu +serving +2 /);
  await steering(() => stack)
    .handleOf('my-gpu-task')
    .signal('stop', { now: true });
  await steering(() => stack).untilPhase('my-gpu-task', 'stopped');
  const shown = await perpetua('show', 'my-gpu-task/1');
  expect(shown).toMatch(/machine +gpus-of-\S+: .*Stand-In.*, \d+ cores, /);

  // All of the research goes, its histories in Temporal, too.
  await stack.client.workflow.getHandle('my-gpu-task').result();
  const workflows = `WorkflowId = "my-gpu-task" or WorkflowId starts_with "my-gpu-task/"`;
  await expect.poll(() => count(`(${workflows}) and ExecutionStatus = "Running"`)).toBe(0);
  const deleted = JSON.parse(await perpetua('delete', 'my-gpu-task', '--yes', '--json')) as Record<string, number>;
  expect(deleted['histories']).toBeGreaterThan(deleted['trials'] ?? Infinity);
  expect(await stack.query('select 1 from trials union all select 1 from blobs')).toEqual([]);
  await expect.poll(() => count(workflows)).toBe(0);
});

const count = async (query: string): Promise<number> => (await stack.client.workflow.count(query)).count;
