import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { QUERIES, SIGNALS, UPDATES } from '../../domain/messages/names.ts';
import { type DocumentedLine, linesOfBlocks, linesOfTable } from '../docs/steering-lines.ts';
import { readDoc } from '../docs/tables.ts';
import { expectReleased } from '../support/e2e/slow-task.ts';
import { testCli } from '../support/servers.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { steering } from '../support/e2e/steer.ts';
import { writeTask } from '../support/tasks.ts';

let stack: TestStack;
let folder: string;
/** The shell's folder: as in a clone, `npx perpetua` is found there and nowhere else. */
let cwd: string;
let path: string;
const { untilEnded, untilPhase, handleOf } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  cwd = join(stack.home, 'clone');
  folder = await writeTask(join(cwd, 'tasks', 'nano-lm'), TASK);
  const { path: cli } = await testCli();
  const bin = join(cwd, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  await symlink(join(packageRoot(), 'scripts', 'perpetua.mjs'), join(bin, 'perpetua'));
  await symlink(cli, join(bin, 'temporal'));
  path = [bin, dirname(process.execPath), process.env.PATH].join(':');
  await stack.startWorker({ slots: 2, cwd });
});
afterAll(() => stack.stop());

/** A task with the name and the files of the documents. */
const TASK = {
  task: {
    name: 'nano-lm',
    mutable: ['train.mjs', 'train.py'],
    run: {
      // A run that waits costs nothing, and the researches run until the last line stops them.
      command: 'sleep 0.5; node train.mjs',
      budget: { seconds: 60, kind: 'wall' as const },
      artefacts: [{ path: 'out.txt' }],
      sandbox: 'none' as const,
    },
    search: { parent: 'original' as const, proposer: 'random' as const, window: 2 },
    knobs: [{ file: 'train.mjs', name: 'X', type: 'float' as const, range: [0, 20] as [number, number] }],
  },
  files: {
    'workspace/train.mjs':
      `const X = 1.5;\nimport { writeFileSync } from 'node:fs';\n` + `writeFileSync('out.txt', String(X));\n`,
    'workspace/train.py': '',
  },
};

async function shell(line: string): Promise<string> {
  const { TEMPORAL_ADDRESS, DATABASE_URL } = {
    TEMPORAL_ADDRESS: stack.temporalAddress,
    DATABASE_URL: stack.databaseUrl,
  };
  const env = { PATH: path, HOME: stack.home, PERPETUA_HOME: stack.home, TEMPORAL_ADDRESS, DATABASE_URL };
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd, env });
  return stdout;
}

type Run = () => Promise<string>;

/** The effect that each command must have on a research, read from Postgres and Temporal. */
function effectsOn(id: string): Record<string, (run: Run, line: string) => Promise<void>> {
  const until = (what: string, condition: string, values: unknown[] = []): Promise<void> =>
    stack.until(`${id}: ${what}`, `select count(*) > 0 as done from ${condition}`, [id, ...values]);
  const changeTask = async (run: Run): Promise<void> => {
    // Before that the new version would be the baseline.
    await until('a value', 'trials where research_id = $1 and value is not null');
    await writeFile(join(folder, 'workspace', 'README'), `another text for ${id}\n`);
    await run();
    await until(
      'the new version of the task',
      `alerts where research_id = $1 and message like 'task changed to nano-lm %; incumbent kept%'`,
    );
  };
  const inject = async (run: Run, line: string): Promise<void> => {
    await run();
    const [, words = 'mine'] = /"hypothesis":"([^"]*)"/.exec(line) ?? [];
    await until(
      'the run of a person',
      `trials where research_id = $1 and kind = 'injected' and hypothesis = $2 and status = 'completed'`,
      [words],
    );
  };
  return {
    start: async (run) => {
      await run();
      await until('a trial', 'trials where research_id = $1');
      await untilPhase(id, 'running');
    },
    'signal pause': async (run) => {
      await run();
      await untilPhase(id, 'paused');
    },
    'signal resume': async (run) => {
      await run();
      await untilPhase(id, 'running');
    },
    'signal note': async (run, line) => {
      await run();
      await until('the note', 'notes where research_id = $1 and text = $2', [/"text":"([^"]*)"/.exec(line)?.[1]]);
    },
    'signal changeTask': changeTask,
    'update changeTask': changeTask,
    'signal inject': inject,
    'update inject': async (run, line) => {
      await inject(async () => {
        const answer = await run();
        expect(answer).toMatch(/"?key"?:\s*\S/);
        return answer;
      }, line);
    },
    'update setBudget': async (run) => {
      expect(await run()).toMatch(/"?trials"?:\s*500/);
      await until('the budget', `researches where id = $1 and (budget ->> 'trials')::int = 500`);
    },
    'update setWindow': async (run, line) => {
      const window = line.includes('"auto"') ? null : 8;
      expect(await run()).toMatch(window === null ? /"?fixed"?:\s*false/ : /"?window"?:\s*8/);
      if (window !== null) await until('the window', 'researches where id = $1 and "window" = $2', [window]);
    },
    'update overrideVerdict': async (run) => {
      await until('the trial', `trials where id = $1 || '/12' and status = 'completed'`);
      await run();
      await until(
        'the verdict',
        `trials where id = $1 || '/12' and verdict = 'discard' and reason like 'overridden by a person: %'`,
      );
    },
    'update ablate': async (run) => {
      await until('a claim', 'claims where research_id = $1 and seq = 1');
      expect(await run()).toMatch(/"?trials"?:\s*6/);
      await until('the requested runs', `wanted_runs where research_id = $1 and kind = 'ablation'`);
    },
    'query status': async (run) => {
      const answer = await run();
      expect(answer).toContain(`"workflowId":"${id}"`);
      expect(answer).toContain('"phase":"running"');
    },
    'query best': async (run) => {
      await untilEnded(id, 1);
      await expect.poll(run).toMatch(/"mean":-/);
    },
    'signal stop': async (run) => {
      await run();
      await untilPhase(id, 'stopped');
      expect(await handleOf(id).result()).toMatchObject({ reason: 'stopped by a person' });
      await expectReleased(stack, id);
    },
  };
}

async function follow(id: string, lines: readonly DocumentedLine[]): Promise<void> {
  const effects = effectsOn(id);
  for (const { action, line } of lines) {
    const expectEffect = effects[action];
    if (!expectEffect) throw new Error(`expected to know what this line of a document must do: ${line}`);
    await expectEffect(() => shell(line), line);
  }
}

test('docs/guides/steering.md: its session starts, steers and ends a research, and tries a version', async () => {
  const lines = linesOfBlocks(await readDoc('docs/guides/steering.md'));
  const [take, name] = lines.filter(({ action }) => action === 'shell');
  if (!take || !name) throw new Error('expected the guide to show how a version of the best is taken and named');
  const id = 'my-run';
  await follow(
    id,
    lines.slice(0, lines.indexOf(take)).filter(({ action }) => action !== 'shell'),
  );
  await untilEnded(id, 1);
  await shell(take.line);
  const mine = join(cwd, 'mine', 'train.mjs');
  await writeFile(mine, (await readFile(mine, 'utf8')).replace(/X = .*;/, 'X = 7;'));
  await shell(name.line);
  await follow(id, lines.slice(lines.indexOf(name) + 1));
  expect(await stack.query(`select value from trials where research_id = $1 and kind = 'injected'`, [id])).toEqual([
    { value: 0 },
  ]);
});

test('docs/guides/steering.md: each command of its table does what its row says', async () => {
  const all = linesOfTable(await readDoc('docs/guides/steering.md'), { id: 'operated', folder });
  const isLast = ({ action }: DocumentedLine): boolean => action === 'signal stop';
  await follow('operated', [...all.filter((line) => !isLast(line)), ...all.filter(isLast)]);
});

test('the documents show every message that a person may send', async () => {
  const shown = new Set(
    [
      ...linesOfBlocks(await readDoc('docs/guides/steering.md')),
      ...linesOfTable(await readDoc('docs/guides/steering.md'), { id: 'shown', folder }),
    ].map(({ action }) => action),
  );
  const { trialEnded: internal, ...signals } = SIGNALS;
  expect([...shown]).not.toContain(`signal ${internal}`);
  for (const [verb, names] of [
    ['signal', signals],
    ['update', UPDATES],
    ['query', QUERIES],
  ] as const)
    for (const name of Object.values(names)) expect([...shown]).toContain(`${verb} ${name}`);
});
