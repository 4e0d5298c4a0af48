import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { endServers } from '../../support/policy/end-servers.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { evaluate, evaluationOf, expectEvaluatedOnce, expectHeldOut, readSamples } from './evaluation/support.ts';
import { ended, expectLineage, FAKE_ENV, learningTask, updated } from './support.ts';

let stack: TestStack;
let worker: TestWorker;
const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 2, env: FAKE_ENV });
};
beforeAll(async () => {
  stack = await startTestStack({ durable: true });
  await restart();
  const task = await learningTask(stack.home, 'trained', { update: { name: 'grpo', batch: 4, group: 4, gates: [] } });
  await stack.startResearch('trained', { task, budget: { proposals: 4 } });
  await stack.until('the research to end', ended, ['trained']);
  await stack.until('its update', updated, ['trained', 1]);
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

test.each(FAULTS['worker-dies-evaluating/local/policy'])(
  'an evaluation has each sample once though its worker dies at %s',
  (killAt) => expectEvaluatedOnce(stack, worker, { policy: 'trained', version: 1, killAt, restart }),
);

test.each(FAULTS['worker-dies-evaluating-within/local/policy'])(
  'an evaluation within a research has each sample once though its worker dies at %s',
  async (killAt) => {
    const id = `within-${killAt}`;
    const update = { name: 'grpo', batch: 4, group: 4, gates: [], keep: 1, eval: { every: 1, samples: 6 } };
    const task = await learningTask(stack.home, id, { update });
    worker.dieAt(killAt);
    await stack.startResearch(id, { task, budget: { proposals: 8 }, tempo: 0.05 });
    await worker.gone;
    await restart();
    await stack.until('the research to end', ended, [id]);
    await expectHeldOut(stack, id, { versions: [0, 1, 2], samples: 6 });
  },
);

test('an evaluation within a research runs samples of version 0 and of every second version', async () => {
  const update = { name: 'grpo', batch: 4, group: 4, gates: [], keep: 1, eval: { every: 2, samples: 4 } };
  const task = await learningTask(stack.home, 'within', { update });
  await stack.startResearch('within', { task, budget: { proposals: 16 } });
  await stack.until('the research to end', ended, ['within']);
  const updates = await expectLineage(stack, 'within');
  expect(updates.map(({ batch }) => batch.length)).toEqual([4, 4, 4, 4]);
  await expectHeldOut(stack, 'within', { versions: [0, 2, 4], samples: 4 });
});

/** Starts a research of one update, and waits until nothing but its evaluations is left to run. */
async function startEvaluating(id: string, run: Record<string, unknown> = {}): Promise<void> {
  const update = { name: 'grpo', batch: 4, group: 4, gates: [], keep: 1, eval: { every: 1, samples: 6 } };
  const task = await learningTask(stack.home, id, { update, run });
  await stack.startResearch(id, { task, budget: { proposals: 4 }, tempo: 0.05 });
  await stack.until(
    'an evaluation alone under way',
    `select count(*) filter (where kind = 'evaluation') > 0 and count(*) filter (where kind <> 'evaluation') = 0 as done
     from trials where research_id = $1 and status is null and (select count(*) from updates where research_id = $1
       and state = 'done') > 0`,
    [id],
  );
}

test.each(FAULTS['worker-dies-running-evaluation/local/policy'])(
  'an evaluation within a research runs each sample once though its worker dies at %s of such a run',
  async (killAt) => {
    const id = `running-${killAt}`;
    await startEvaluating(id);
    worker.dieAt(killAt);
    await worker.gone;
    await restart();
    await stack.until('the research to end', ended, [id]);
    await expectHeldOut(stack, id, { versions: [0, 1], samples: 6 });
  },
);

test.each(['temporal', 'postgres'] as const)(
  'an evaluation within a research runs each sample once though %s is killed and started again',
  async (server) => {
    const id = `without-${server}`;
    await startEvaluating(id, { command: '. ./knobs.env; sleep 1; echo "$lr" > out.txt' });
    await stack[server].kill();
    await stack[server].start();
    await stack.until('the research to end', ended, [id]);
    await expectHeldOut(stack, id, { versions: [0, 1], samples: 6 });
  },
);

const someEnded = `select count(*) > 2 as done from trials where kind = 'search' and status is not null
  and research_id in (select id from researches where seed_root = $1)`;

test('an evaluation goes on though its command is killed, and the same command prints its result', async () => {
  const { temporalAddress, databaseUrl, home } = stack;
  const argv = ['trained', '1', '--samples', '16', '--seed', 'killed', '--json'];
  const env = { ...process.env, TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home };
  const program = join(packageRoot(), 'scripts/perpetua.mjs');
  const command = spawn(process.execPath, [program, 'policy', 'eval', ...argv], { env, stdio: 'ignore' });
  await stack.until('some samples', someEnded, ['killed']);
  command.kill('SIGKILL');
  await once(command, 'exit');
  const found = await evaluate(stack, argv);
  expect([found.code, evaluationOf(found)]).toMatchObject([0, { ended: 16, lost: 0 }]);
  const researches = await stack.query(`select id from researches where seed_root = 'killed'`);
  expect(researches).toEqual([{ id: evaluationOf(found).workflowId }]);
  expect(await readSamples(stack, evaluationOf(found).workflowId)).toHaveLength(16);
});

test('an evaluation draws each sample once though the policy server dies', async () => {
  const argv = ['trained', '1', '--samples', '16', '--seed', 'server', '--json'];
  const evaluating = evaluate(stack, argv);
  await stack.until('some samples', someEnded, ['server']);
  await endServers(stack.home);
  const found = await evaluating;
  expect([found.code, evaluationOf(found)]).toMatchObject([0, { ended: 16, lost: 0, readable: { n: 16 } }]);
  const versions = (await readSamples(stack, evaluationOf(found).workflowId)).map(({ version }) => version);
  expect(versions).toEqual(Array(16).fill(evaluationOf(found).policy.checkpoint));
});

test('an evaluation prints its stored result again for the same seed root, and starts nothing', async () => {
  const argv = ['trained', '0', '--samples', '6', '--seed', 'again', '--json'];
  const [first, joined] = await Promise.all([evaluate(stack, argv), evaluate(stack, argv)]);
  expect([first.code, joined.code]).toEqual([0, 0]);
  expect(joined.stdout).toBe(first.stdout);
  const id = evaluationOf(first).workflowId;
  expect(await readSamples(stack, id)).toHaveLength(6);
  const runs = await stack.query(`select run_id from researches where id = $1`, [id]);
  expect((await evaluate(stack, argv)).stdout).toBe(first.stdout);
  expect(await stack.query(`select run_id from researches where id = $1`, [id])).toEqual(runs);
  const { stdout } = await evaluate(stack, argv.slice(0, -1));
  expect(stdout).toMatch(/^eval\/trained\/v0-[0-9a-f]{12} · the base model of trained on trained, 6 samples\n/);
  expect(stdout).toMatch(/^ {2}score +-?\d.* over \d+ scored runs$/m);
  expect(stdout).toMatch(/^ {2}readable +\d+ % \[\d+ %, \d+ %\] of 6 answers$/m);
});

test('an evaluation continues after Ctrl-C with the same seed root', async () => {
  const stop = new AbortController();
  const argv = ['trained', '0', '--samples', '40', '--seed', 'stopped', '--json'];
  const stopped = evaluate(stack, argv, { signal: stop.signal });
  await stack.until(
    'a sample',
    `select count(*) > 1 as done from trials where research_id like 'eval/trained/v0-%' and kind = 'search'
       and research_id in (select id from researches where seed_root = 'stopped') and status is not null`,
  );
  stop.abort();
  expect(await stopped).toMatchObject({ code: 1, stdout: expect.stringContaining('To continue: ') as string });
  const { json } = await evaluate(stack, argv);
  expect(json()).toMatchObject([{ ended: 40, lost: 0 }]);
});
