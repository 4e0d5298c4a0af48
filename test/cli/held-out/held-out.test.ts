import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eq } from 'drizzle-orm';
import { artefacts, blobs, heldOutScores, runs, taskFiles, taskVersions } from '../../../db/schema.ts';
import type { Task } from '../../../domain/task/task.ts';
import { evaluatorProblems } from '../../../domain/task/contradictions/evaluator-problems.ts';
import { useDatabase } from '../../db/support.ts';
import { run } from '../support/cli.ts';
import { BASELINE, hashOf, insertStory, TASK, WINNER } from '../support/lineage.ts';

const bench = useDatabase();
const home = await mkdtemp(join(tmpdir(), 'perpetua-held-out-'));
afterAll(() => rm(home, { recursive: true, force: true }));

const perpetua = (...argv: string[]) =>
  run(argv, { env: { DATABASE_URL: bench.url, TEMPORAL_ADDRESS: '127.0.0.1:1', PERPETUA_HOME: home } });

/** The number in out.txt, plus a half. */
const HELD_OUT = `printf '{"loss": %s}' "$(awk '{print $1+0.5}' artefacts/out.txt)" >&3\n`;
/** An artefact evaluator whose held-out command is that program. */
const EVALUATOR = { ...TASK.evaluator, heldOut: 'sh held-out.sh' } as Task['evaluator'];

async function store(text: string): Promise<string> {
  const hash = hashOf(text);
  await bench.db
    .insert(blobs)
    .values({ hash, content: Buffer.from(text) })
    .onConflictDoNothing();
  return hash;
}

const setEvaluator = (evaluator: Task['evaluator']) =>
  bench.db.update(taskVersions).set({ task: { ...TASK, evaluator } });

async function setProgram(text: string): Promise<void> {
  const row = { taskHash: 'task-1', role: 'evaluator' as const, path: 'held-out.sh', executable: false };
  const blobHash = await store(text);
  await bench.db.delete(taskFiles).where(eq(taskFiles.path, row.path));
  await bench.db.insert(taskFiles).values({ ...row, blobHash });
}

let stories = 0;
let research = '';

beforeEach(async () => {
  stories += 1;
  research = `toy-${stories}`;
  await insertStory(bench.db, research);
  await setEvaluator(EVALUATOR);
  await setProgram(HELD_OUT);
  const end = { wallSeconds: 1, cpuSeconds: 0.5, maxRssMb: 3, outputBytes: 10 };
  // The first run of the unmodified workspace, and the kept trial.
  for (const [n, text] of [
    [1, '2\n'],
    [4, '1\n'],
  ] as const) {
    const key = { jobId: `${research}/${n}`, placement: 0 };
    await bench.db.insert(runs).values({ ...key, host: 'h', slotId: 'local/0', fence: n, end });
    await bench.db.insert(artefacts).values({ ...key, path: 'out.txt', blobHash: await store(text) });
  }
});

const stored = () => bench.db.select().from(heldOutScores).where(eq(heldOutScores.researchId, research));

test('the best and the unmodified workspace are scored by the command, and stored with their origin', async () => {
  const { code, stdout, stderr } = await perpetua('best', research, '--held-out');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^held-out +1\.500 bits +the artefacts of toy-\d+\/4, scored once, now, by task version task-1$/m,
  );
  expect(stdout).toMatch(/^unmodified +2\.500 bits +the artefacts of toy-\d+\/1, scored once, now/m);
  expect(stdout).not.toContain('report all of them');
  const rows = (await stored()).sort((a, b) => a.value - b.value);
  expect(rows).toMatchObject([
    { candidateId: WINNER, trialId: `${research}/4`, taskHash: 'task-1', value: 1.5 },
    { candidateId: BASELINE, trialId: `${research}/1`, taskHash: 'task-1', value: 2.5 },
  ]);
});

test('a candidate is scored once: later calls print the stored value, whatever its data are by then', async () => {
  const [first] = (await perpetua('best', research, '--held-out', '--json')).json();
  expect(first).toMatchObject({ best: { value: 1.5, isNew: true }, baseline: { value: 2.5 }, scored: 1 });
  await setProgram(`printf '{"loss": 0}' >&3\n`);
  const [second] = (await perpetua('best', research, '--held-out', '--json')).json();
  expect(second).toMatchObject({ best: { value: 1.5, isNew: false }, baseline: { value: 2.5, isNew: false } });
  expect(await stored()).toHaveLength(2);
});

test('two commands at once store one value each, and both print it', async () => {
  const both = await Promise.all([1, 2].map(() => perpetua('best', research, '--held-out', '--json')));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const values = both.map(({ json }) => (json()[0] as { best: { value: number } }).best.value);
  expect(values).toEqual([1.5, 1.5]);
  expect(await stored()).toHaveLength(2);
});

test('a command that fails leaves no score, so that it can be made later', async () => {
  await setProgram('echo no such data >&2; exit 1\n');
  const failed = await perpetua('best', research, '--held-out');
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('no such data') as string });
  expect(await stored()).toEqual([]);
  await setProgram(HELD_OUT);
  expect((await perpetua('best', research, '--held-out')).code).toBe(0);
});

test('a command that was ended between scoring and storing draws no other value when it is called again', async () => {
  await setProgram(`printf '{"loss": %s}' "$PERPETUA_SEED" >&3\n`);
  const valueOf = async () =>
    ((await perpetua('best', research, '--held-out', '--json')).json()[0] as { best: { value: number } }).best.value;
  const first = await valueOf();
  await bench.db.delete(heldOutScores);
  expect(await valueOf()).toBe(first);
});

test('if several candidates of a research were scored, the report says so', async () => {
  const other = { researchId: research, candidateId: hashOf('an earlier best'), trialId: `${research}/2` };
  await bench.db.insert(heldOutScores).values({ ...other, taskHash: 'task-1', value: 1.7 });
  const { stdout } = await perpetua('best', research, '--held-out');
  expect(stdout).toContain('2 candidates of this research have a held-out score: report all of them');
});

test('no other output has the score', async () => {
  await setProgram(`printf '{"loss": 0.123454321}' >&3\n`);
  expect((await perpetua('best', research, '--held-out', '--json')).stdout).toContain('0.123454321');
  for (const argv of [['best'], ['status'], ['log']]) {
    const { code, stdout } = await perpetua(...argv, research, '--json');
    expect(code).toBe(0);
    expect(stdout).not.toContain('0.12345');
  }
  expect((await perpetua('show', `${research}/4`, '--json')).stdout).not.toContain('0.12345');
});

test('refuses a task without the command, and options that write something else', async () => {
  await setEvaluator(TASK.evaluator);
  expect(await perpetua('best', research, '--held-out')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Expected evaluator.heldOut in the task of ${research}`) as string,
  });
  const { code, stderr } = await perpetua('best', research, '--held-out', '--out', join(home, 'x'));
  expect([code, stderr]).toEqual([2, expect.stringContaining('Expected --held-out without --lead')]);
  expect(await stored()).toEqual([]);
});

test('a task whose evaluator asks models cannot have the command', () => {
  const evaluator = { ...EVALUATOR, llm: true } as Task['evaluator'];
  expect(evaluatorProblems({ ...TASK, evaluator })).toMatchObject([{ path: ['evaluator', 'heldOut'] }]);
});
