import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eq, sql } from 'drizzle-orm';
import { artefacts, blobs, candidates, researches, runs, taskVersions } from '../../../db/schema.ts';
import { saveTaskVersion } from '../../../db/task/task-version.ts';
import { loadTask } from '../../../tasks/load.ts';
import { useDatabase } from '../../db/support.ts';
import { writeTask } from '../../support/tasks.ts';
import { run } from '../support/cli.ts';
import { hashOf, insertResearch, storeTrials, trialRow } from '../support/lineage.ts';

const bench = useDatabase();
/** Evaluator whose score depends on the artefact and, in thousandths, on its seed modulo 7: see `valueOf`. */
const SCORE =
  `printf '{"score": %s}' "$(awk -v s="$PERPETUA_SEED" '{print 0-($1-7)*($1-7)-(s%7)/1000}' ` +
  `artefacts/out.txt)" >&3\n`;
const HIDDEN = 1_246_813_579;

let folder: string;
let task: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-certificate-'));
  task = await writeTask(join(folder, 'task'), { files: { 'evaluator/score.sh': SCORE } });
  const version = await loadTask(task);
  await saveTaskVersion(bench.db, version);
  await insertResearch(bench.db, 'parabola', { taskHash: version.hash, lastN: 4 });
  await insertScored(version.hash, 1, { x: '1.5', trusted: true });
  await insertScored(version.hash, 2, { x: '6.5', trusted: true });
  await insertScored(version.hash, 3, { x: '6.9', trusted: false });
  await insertScored(version.hash, 4, { x: '2.5', trusted: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const valueOf = (x: string, seed: number): number => -((Number(x) - 7) ** 2) - (seed % 7) / 1000;

/** Stores a scored trial whose artefact has `x`. */
async function insertScored(taskHash: string, n: number, { x, trusted }: { x: string; trusted: boolean }) {
  const [candidateId, trialId] = [hashOf(`candidate ${x}`), `parabola/${n}`];
  const contents = [`X=${x}\n`, `${x}\n`];
  const hashes = contents.map(hashOf);
  await bench.db
    .insert(blobs)
    .values(contents.map((text) => ({ hash: hashOf(text), content: Buffer.from(text) })))
    .onConflictDoNothing();
  await bench.db
    .insert(candidates)
    .values({ id: candidateId, immutableHash: 'i', files: { 'knobs.env': hashes[0] ?? '' } });
  const ended = { status: 'completed' as const, verdict: 'discard' as const, trusted, endedAt: new Date() };
  const scored = { value: valueOf(x, HIDDEN), evaluatorSeed: HIDDEN, candidateId };
  await storeTrials(bench.db, trialRow('parabola', n, { taskHash, ...ended, ...scored }));
  const end = { wallSeconds: 1, cpuSeconds: 0.5, maxRssMb: 3, outputBytes: 10 };
  await bench.db.insert(runs).values({ jobId: trialId, placement: 0, host: 'h', slotId: 'local/0', fence: n, end });
  await bench.db.insert(artefacts).values({ jobId: trialId, placement: 0, path: 'out.txt', blobHash: hashes[1] ?? '' });
}

/** Verifies a certificate with its public seed alone; further-seeds.test.ts has the further seeds. */
const verify = (out: string, taskFolder: string, ...more: string[]) =>
  perpetua('verify', out, '--task', taskFolder, '--seeds', '0', ...more);

const perpetua = (...argv: string[]) =>
  run(argv, { env: { DATABASE_URL: bench.url, TEMPORAL_ADDRESS: '127.0.0.1:1', PERPETUA_HOME: join(folder, 'home') } });

test('the best run of all is scored again from its artefacts, and anyone with the task can repeat it', async () => {
  const out = join(folder, 'out');
  const { code, stdout, stderr } = await perpetua('best', '--certificate', '--out', out);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^best run of all +-0\.25\d+ +parabola\/2 · one run, no claim by itself$/m);
  expect(stdout).toMatch(/^its artefacts +the same, scored again now$/m);
  const text = await readFile(join(out, 'certificate.json'), 'utf8');
  expect(text + stdout).not.toContain(String(HIDDEN));
  const certificate = JSON.parse(text) as { value: object; publicSeed: number };
  const { publicSeed } = certificate;
  expect(certificate).toMatchObject({
    trialId: 'parabola/2',
    candidateId: hashOf('candidate 6.5'),
    seed: 1002,
    repeatable: true,
    runtime: { wallSeconds: 1, peakMemoryMb: 3, mutableBytes: 6, artefactBytes: 4 },
    artefacts: [{ path: 'out.txt', sha256: hashOf('6.5\n'), bytes: 4 }],
  });
  const stored = expect.closeTo(valueOf('6.5', HIDDEN), 10) as number;
  expect(certificate.value).toEqual({
    stored,
    again: stored,
    public: expect.closeTo(valueOf('6.5', publicSeed), 10) as number,
  });
  expect(await readFile(join(out, 'workspace/knobs.env'), 'utf8')).toBe('X=6.5\n');

  const holds = await verify(out, task, '--json');
  expect(holds.json()).toMatchObject([{ holds: true, sameTask: true, trialId: 'parabola/2', problems: [] }]);
  const again = await perpetua('best', '--certificate', '--out', out);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('to be new or empty') as string });

  await writeFile(
    join(out, 'certificate.json'),
    text.replace(`"public": ${JSON.stringify(valueOf('6.5', publicSeed))}`, '"public": 0'),
  );
  expect((await verify(out, task)).stderr).toContain('the value differs: expected 0, got');
  await writeFile(join(out, 'artefacts/out.txt'), '7\n');
  const forged = await verify(out, task);
  expect(forged).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not the file that was scored') as string,
  });
  await writeFile(join(out, 'certificate.json'), text.replace('"path": "out.txt"', '"path": "../out.txt"'));
  expect((await verify(out, task)).stderr).toContain('a path inside of artefacts/');
  await writeFile(join(out, 'certificate.json'), text);
  const other = await writeTask(join(folder, 'other'));
  expect((await verify(out, other)).stderr).toContain('the evaluator or its Python lock file differs');
});

type Json = Record<string, unknown> & { value: object; runtime: object; task: object; artefacts: object[] };

test.each<[string, (made: Json) => object, string]>([
  ['the value', ({ value }) => ({ value: { ...value, public: -0.1 } }), 'the value differs: expected -0.1, got'],
  ['the public seed', () => ({ publicSeed: 5 }), 'the public seed differs: the artefacts give'],
  [
    'the evaluator',
    ({ task }) => ({ task: { ...task, evaluatorHash: hashOf('x') } }),
    'the evaluator or its Python lock file',
  ],
  [
    'the unit',
    ({ metric }) => ({ metric: { ...(metric as object), unit: 'bits' } }),
    'the metric differs: expected score in bits, maximize, the task has score, maximize',
  ],
  [
    'the size of an artefact',
    ({ artefacts: [first] }) => ({ artefacts: [{ ...first, bytes: 3 }] }),
    'artefacts/out.txt is not the file that was scored',
  ],
  ['their sum', ({ runtime }) => ({ runtime: { ...runtime, artefactBytes: 3 } }), 'runtime.artefactBytes: expected 4'],
  [
    'an artefact more',
    ({ artefacts: [first] }) => ({ artefacts: [first, { ...first, path: 'score.json' }] }),
    'the task has no artefact score.json',
  ],
  [
    'an artefact to two entries',
    ({ artefacts: [first] }) => ({ artefacts: [first, first] }),
    'the certificate names an artefact more than once: out.txt',
  ],
  ['an artefact less', () => ({ artefacts: [] }), "the certificate lacks the task's artefact out.txt"],
])('a certificate in which somebody changed %s does not hold', async (_, change, problem) => {
  const out = await mkdtemp(join(folder, 'forged-'));
  expect((await perpetua('best', '--certificate', '--out', out)).code).toBe(0);
  const file = join(out, 'certificate.json');
  const made = JSON.parse(await readFile(file, 'utf8')) as Json;
  await writeFile(file, JSON.stringify({ ...made, ...change(made) }));
  const { code, stderr } = await verify(out, task);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(problem) as string });
});

test('values that only the database of its maker has are named as not checked', async () => {
  const out = join(folder, 'unchecked');
  await perpetua('best', '--certificate', '--out', out);
  const file = join(out, 'certificate.json');
  const made = JSON.parse(await readFile(file, 'utf8')) as Json;
  const forged = {
    value: { ...made.value, stored: -0.001, again: -0.002 },
    runtime: { ...made.runtime, wallSeconds: 77 },
  };
  await writeFile(file, JSON.stringify({ ...made, ...forged }));
  const { code, stdout } = await verify(out, task);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^repeated now +-0\.25\d* with the public seed \d+$/m);
  expect(stdout).toMatch(/^not checked +-0\.001 when its run ended, .*; with the public seed it is -0\.25\d* now$/m);
  expect(stdout).toMatch(
    /^not checked +-0\.002 when the certificate was made, .*; with the public seed it is -0\.25\d* now$/m,
  );
  expect(stdout).toMatch(/^not checked +the run's measures, which the evaluator received: 77\.?0* s/m);
});

test('a certificate with a wrong key or type is refused by the key, what was expected and what came', async () => {
  const out = join(folder, 'mistyped');
  await perpetua('best', '--certificate', '--out', out);
  const file = join(out, 'certificate.json');
  const { runtime, ...made } = JSON.parse(await readFile(file, 'utf8')) as Json;
  const changed = {
    ...made,
    runtime: { ...runtime, wallSeconds: 'long' },
    metric: { ...(made['metric'] as object), unti: '' },
  };
  await writeFile(file, JSON.stringify(changed));
  const { code, stderr } = await verify(out, task);
  expect(code).toBe(2);
  expect(stderr).toContain(
    `certificate.json is no certificate (metric.unti: the key is not known; ` +
      `expected one of name, direction, unit; did you mean unit?; ` +
      `runtime.wallSeconds: expected a number, got the text "long"). Write it again with `,
  );
  await writeFile(file, '{"certificate": 1');
  expect((await verify(out, task)).stderr).toMatch(/certificate\.json is no JSON \(/);
});

/** Writes another version of the task and makes it the version of the research; returns its folder. */
async function changeTo(name: string, more: Parameters<typeof writeTask>[1]): Promise<string> {
  const changed = await writeTask(join(folder, name), {
    ...more,
    files: { 'evaluator/score.sh': SCORE, ...more?.files },
  });
  const version = await loadTask(changed);
  await saveTaskVersion(bench.db, version);
  await bench.db.update(researches).set({ taskHash: version.hash }).where(eq(researches.id, 'parabola'));
  return changed;
}

test('after a change of task, a certificate states the version of its run, and holds for both', async () => {
  const first = await loadTask(task);
  const changed = await changeTo('second', { task: { name: 'hill' }, files: { 'workspace/knobs.env': 'X=3\n' } });
  const out = join(folder, 'earlier');
  expect((await perpetua('best', '--certificate', '--out', out)).code).toBe(0);
  const made = JSON.parse(await readFile(join(out, 'certificate.json'), 'utf8')) as object;
  expect(made).toMatchObject({ task: { name: 'parabola', hash: first.hash }, trialId: 'parabola/2' });
  const [same, other] = [await verify(out, task), await verify(out, changed)];
  expect([same.code, other.code]).toEqual([0, 0]);
  expect(same.stdout).not.toContain('another version');
  expect(other.stdout).toContain(`another version of it (${first.hash.slice(0, 12)}), with the same evaluator`);
});

test.each<[string, Parameters<typeof writeTask>[1], string]>([
  [
    'evaluator',
    { files: { 'evaluator/score.sh': `${SCORE}# another\n` } },
    'the evaluator or its Python lock file differs',
  ],
  [
    'metric',
    { task: { metric: { name: 'score', direction: 'minimize' } } },
    'the metric differs: expected score, maximize, the task has score, minimize',
  ],
  [
    'lock',
    {
      task: { environment: { python: '3.11', lock: 'requirements.lock' } },
      files: { 'requirements.lock': 'six==1.17.0\n' },
    },
    'the evaluator or its Python lock file differs',
  ],
])(
  'after a change of the %s, earlier results get no certificate, and earlier certificates no longer hold',
  async (name, more, problem) => {
    const out = join(folder, `before-${name}`);
    await changeTo(`back-from-${name}`, {});
    expect((await perpetua('best', '--certificate', '--out', out)).code).toBe(0);
    const changed = await changeTo(`other-${name}`, more);
    const { code, stderr } = await perpetua('best', '--certificate');
    expect(code).toBe(1);
    expect(stderr).toContain('has no run yet that can have a certificate');
    const held = await verify(out, changed);
    expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining(problem) as string });
    await changeTo('back', {});
  },
);

test('a result whose artefacts were removed has no certificate, and the error says how to get one', async () => {
  await bench.db.delete(blobs).where(eq(blobs.hash, hashOf('6.5\n')));
  const { code, stderr } = await perpetua('best', '--certificate');
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /perpetua clean has removed its contents\. To make it again, .*perpetua show parabola\/2 --out DIR/,
  );
});

test('a task whose scores depend on more than artefacts is refused', async () => {
  await insertResearch(bench.db, 'said');
  await bench.db
    .update(taskVersions)
    .set({ task: sql`jsonb_set(task, '{evaluator}', '{"type": "none"}')` })
    .where(eq(taskVersions.hash, 'task-1'));
  const { code, stderr } = await perpetua('best', 'said', '--certificate');
  expect(code).toBe(2);
  expect(stderr).toContain("toy takes its metric from the run's own output");
});
