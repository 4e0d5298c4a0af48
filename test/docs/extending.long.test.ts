import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';
import { readDoc } from './tables.ts';

const run = promisify(execFile);
const PRODUCTION = [
  'activities',
  'bench',
  'cli',
  'config',
  'dashboard',
  'db',
  'domain',
  'infra',
  'scripts',
  'steering',
  'tasks',
  'view',
  'workers',
  'workflows',
];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json'];

let copy: string;
let stack: TestStack;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'perpetua-extending-'));
  const root = packageRoot();
  for (const name of [...PRODUCTION, ...FILES]) await cp(join(root, name), join(copy, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  stack = await startTestStack();
});

afterAll(async () => {
  await stack.stop();
  await rm(copy, { recursive: true, force: true });
});

/** Writes the blocks of the guide into the copy: whole files, and replaced lines. Returns the kind and path of each. */
async function patch(): Promise<string[]> {
  const doc = await readDoc('docs/guides/extending.md');
  const blocks = [...doc.matchAll(/^```(ts|diff) file=(\S+)\n([\s\S]*?)^```$/gm)];
  for (const [, kind, path = '', text = ''] of blocks) {
    const file = join(copy, path);
    await writeFile(file, kind === 'ts' ? text : applyDiff(await readFile(file, 'utf8'), text, path));
  }
  return blocks.map(([, kind = '', path = '']) => `${kind} ${path}`);
}

function applyDiff(source: string, diff: string, path: string): string {
  const lines = diff.trimEnd().split('\n');
  const side = (mark: string): string =>
    lines
      .filter((line) => line[0] === ' ' || line[0] === mark)
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  expect(source.split(side('-')), `expected ${path} to contain the replaced lines exactly once`).toHaveLength(2);
  return source.replace(side('-'), () => side('+'));
}

/** Paths of the blocks of a kind: `ts` for files that the guide adds, `diff` for files that it changes. */
const pathsOf = (patched: readonly string[], kind: string): string[] => [
  ...new Set(patched.filter((block) => block.startsWith(`${kind} `)).map((block) => block.slice(kind.length + 1))),
];

test("the guide's example methods type-check, build and run in a research", async () => {
  const patched = await patch();
  expect(pathsOf(patched, 'ts')).toHaveLength(4);
  expect(pathsOf(patched, 'diff').toSorted()).toEqual([
    'activities/outcome/observers.ts',
    'domain/search/parent/table.ts',
    'domain/search/proposer/table.ts',
  ]);
  // Type-check only the parts of tasks and dashboard that run in Node.
  const wholeFolders = PRODUCTION.filter((name) => name !== 'tasks' && name !== 'dashboard');
  const include = [...wholeFolders, 'tasks/*.ts', 'dashboard/api', 'dashboard/server'];
  await writeFile(join(copy, 'tsconfig.copy.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  const tsc = join(copy, 'node_modules', 'typescript7', 'bin', 'tsc');
  await run(process.execPath, [tsc, '--singleThreaded', '-p', 'tsconfig.copy.json'], { cwd: copy }).catch(
    (error: Error & { stdout?: string }) => expect.unreachable(error.stdout ?? error.message),
  );
  await run(process.execPath, [join(copy, 'scripts', 'build.mjs')], { cwd: copy });
  await stack.startWorker({ slots: 2, root: copy });
  const task = await writeTask(join(stack.home, 'mine'), {
    task: { name: 'mine' },
    // The run fails if X is 10 or more.
    files: { 'workspace/run.sh': '. ./knobs.env\necho "$X" > out.txt\n[ "${X%.*}" -lt 10 ]\n' },
  });
  const searches = {
    mine: { proposer: { name: 'crossover', parents: 3 }, parent: { name: 'least-visited', among: 4 } },
    turns: { proposer: 'alternate' },
  };
  for (const [id, search] of Object.entries(searches)) {
    await stack.startResearch(id, { task, budget: { trials: 12 }, search });
    await stack.client.workflow.getHandle(id).result();
  }
  const mine = await trialsOf('mine');
  const names = new Set(mine.map(({ proposer }) => proposer));
  expect(names.has('crossover')).toBe(true);
  // A cross of known values of one knob is a known candidate; `neighbours` then proposes instead.
  names.delete('neighbours');
  expect([...names]).toEqual(['crossover']);
  const least = mine.filter(({ parent_reason }) =>
    /^the least visited of the best 4: \d+ proposals$/.test(parent_reason),
  );
  expect(least.length).toBeGreaterThan(5);
  const turns = await trialsOf('turns');
  const proposerOf = ({ n }: { n: number }): string => (n % 2 === 0 ? 'random' : 'crossover');
  for (const trial of turns.filter(({ proposer }) => proposer !== 'neighbours'))
    expect(trial).toMatchObject({ proposer: proposerOf(trial), proposer_reason: `its turn: trial ${trial.n}` });
  expect(new Set(turns.map(proposerOf))).toEqual(new Set(['random', 'crossover']));
  const failed = [...mine, ...turns].filter(({ failure }) => failure !== null);
  const alerts = await stack.query(`select message from alerts where message like 'trial % failed: %'`);
  expect(failed.length).toBeGreaterThan(0);
  expect(alerts).toHaveLength(failed.length);
});

interface TrialRow {
  n: number;
  proposer: string;
  proposer_reason: string;
  parent_reason: string;
  failure: string | null;
}

const trialsOf = (id: string): Promise<TrialRow[]> =>
  stack.query<TrialRow & Record<string, unknown>>(
    `select n, proposer, proposer_reason, parent_reason, failure from trials
     where research_id = '${id}' and kind = 'search' order by n`,
  );
