import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { readUpFile } from '../../config/up-file.ts';
import { SHARED_ROOT } from '../../infra/postgres/data-folder.ts';
import { run } from '../cli/support/cli.ts';
import { hold, release, slowTask, startsOf } from '../support/e2e/slow-task.ts';
import { testCli, throwawayHome } from '../support/servers.ts';

const LONG = { timeout: 240_000, interval: 200 };
const ID = 'pulled';

let clone: string;
let home: string;
let env: Record<string, string>;
let npmStart: { process: ChildProcess; output: () => string; gone: Promise<number | null> };

/** Copies the repository with its build into a clone whose code the test may change. */
beforeEach(async () => {
  home = await throwawayHome();
  clone = await mkdtemp(join(tmpdir(), 'perpetua-clone-'));
  const skipped = ['node_modules', '.git', '.perpetua', 'test', 'docs'];
  await cp(packageRoot(), clone, {
    recursive: true,
    filter: (path) => !skipped.includes(relative(packageRoot(), path)),
  });
  await symlink(join(packageRoot(), 'node_modules'), join(clone, 'node_modules'));
  const { path } = await testCli();
  env = { PATH: process.env.PATH ?? '', PERPETUA_HOME: home, TEMPORAL_CLI_PATH: path, PERPETUA_SLOTS: '2' };
}, 900_000);

afterEach(async () => {
  const data = (await readUpFile(home))?.postgres.embedded?.dataDir;
  if (npmStart.process.exitCode === null) npmStart.process.kill('SIGINT');
  await npmStart.gone;
  if (data && dirname(dirname(data)) === SHARED_ROOT) await rm(dirname(data), { recursive: true, force: true });
  for (const folder of [home, clone]) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Runs the script of `npm start`. */
function start(task: string): void {
  const child = spawn(process.execPath, [join(clone, 'scripts/start.mjs'), '--task', task], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (more: Buffer) => (text += more.toString()));
  npmStart = { process: child, output: () => text, gone: once(child, 'exit').then(([code]) => code as number | null) };
}

async function rows<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const up = await readUpFile(home);
  if (!up) throw new Error(`no stack in ${home}: ${npmStart.output()}`);
  const client = new pg.Client({ connectionString: up.postgres.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
const trials = () =>
  rows<{ n: number; seed: string; status: string | null; launched: boolean; value: number | null }>(
    `select n, seed::text, status, value,
       exists (select from runs where trial_id = t.id and launched_at is not null) as launched
     from trials t where research_id = '${ID}' order by n`,
  );
const claims = () => rows(`select seq, candidate_id, value from claims where research_id = '${ID}' order by seq`);

async function inTemporal<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const up = await readUpFile(home);
  const connection = await Connection.connect({ address: up?.temporal.address ?? '' });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}
const runId = () => inTemporal(async ({ workflow }) => (await workflow.getHandle(ID).describe()).runId);

/** Edits the code as a pull would: another text of a log line, a new query, and a step behind a patch. */
async function pull(): Promise<void> {
  const edits: [string, string, string][] = [
    [
      'cancel-trials.ts',
      'a trial closed before it could be cancelled',
      'this trial was closed before it could be cancelled',
    ],
    [
      'messages/people-signals.ts',
      'slow.addNotes({ researchId, notes })',
      'slow.addNotes({ researchId, notes })' +
        `.then(() => (patched('noted') ? alert('noted: ' + notes[0]?.text) : undefined))`,
    ],
    ['messages/people-signals.ts', 'import { CancellationScope, ', 'import { CancellationScope, patched, '],
    [
      'messages/handlers.ts',
      '  setHandler(defineQuery(QUERIES.status)',
      `  setHandler(defineQuery('version'), () => 'pulled');\n  setHandler(defineQuery(QUERIES.status)`,
    ],
  ];
  for (const [name, old, changed] of edits) {
    const file = join(clone, 'workflows/research', name);
    const source = await readFile(file, 'utf8');
    expect(source).toContain(old);
    await writeFile(
      file,
      source.replace(old, () => changed),
    );
  }
}

test('npm start after a git pull with changed workflow code continues the same run of the research', async () => {
  const task = await slowTask({ home }, ID, { seconds: 0.2, task: { name: ID } });
  start(task);
  await vi.waitFor(async () => expect((await trials()).filter(({ status }) => status).length).toBeGreaterThan(2), LONG);
  hold({ home }, ID);
  const readRunning = async () => (await trials()).filter(({ status, launched }) => launched && status === null);
  await vi.waitFor(async () => expect(await readRunning()).toHaveLength(2), LONG);
  const before = { trials: await trials(), claims: await claims(), runId: await runId(), held: await readRunning() };
  npmStart.process.kill('SIGINT');
  expect(await npmStart.gone).toBe(0);

  await pull();
  start(task);
  await vi.waitFor(async () => {
    expect(await inTemporal(({ workflow }) => workflow.getHandle(ID).query('version'))).toBe('pulled');
  }, LONG);
  expect(npmStart.output()).toContain('bundling the workflows');
  expect(await runId()).toBe(before.runId);
  expect((await run(['note', ID, 'larger steps'], { env })).code).toBe(0);
  await vi.waitFor(async () => {
    const alerts = await rows(`select message from alerts where research_id = '${ID}'`);
    expect(alerts).toContainEqual({ message: 'noted: larger steps' });
  }, LONG);

  release({ home }, ID);
  const after = before.trials.length + 2;
  await vi.waitFor(
    async () => expect((await trials()).filter(({ status }) => status).length).toBeGreaterThan(after),
    LONG,
  );
  const now = await trials();
  expect(now.map(({ n }) => n)).toEqual(now.map((_, index) => index + 1));
  const counted = before.trials.filter(({ status }) => status !== null);
  expect(now).toEqual(expect.arrayContaining(counted));
  expect((await claims()).slice(0, before.claims.length)).toEqual(before.claims);
  const starts = startsOf({ home }, ID);
  for (const { n, seed } of before.held)
    expect({ ...now.find((trial) => trial.n === n), starts: starts[seed] }).toMatchObject({
      status: 'completed',
      starts: 1,
    });
  // No workflow task failed, not even one that succeeded on retry.
  const { events } = await inTemporal(({ workflow }) => workflow.getHandle(ID, before.runId).fetchHistory());
  const failed = events?.filter((event) => event.workflowTaskFailedEventAttributes);
  expect(failed?.map((event) => event.workflowTaskFailedEventAttributes?.failure?.message)).toEqual([]);
}, 1_200_000);
