import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOWHERE, run } from './support/cli.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-init-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const env = { TEMPORAL_ADDRESS: NOWHERE, DATABASE_URL: `postgres://u@${NOWHERE}/d`, PERPETUA_HOME: '/nonexistent' };

describe('check --prompt', () => {
  it('prints the first prompt, with the read-only files that the task shows, and needs no stack', async () => {
    const { code, stdout } = await run(['check', 'nano-lm', '--prompt'], { env });
    expect(code).toBe(0);
    for (const part of [
      '== system',
      '== user',
      '## What a run has',
      '## Files to read',
      'answer.mjs\n```',
      'train.mjs\n```',
    ])
      expect(stdout).toContain(part);
    const [json] = (await run(['check', 'nano-lm', '--prompt', '--json'], { env })).json() as { messages: unknown[] }[];
    expect(json?.messages).toHaveLength(2);
  });
});

describe('init', () => {
  it.each([
    ['My Task!', 'my-task-'],
    ['007', '007'],
    ['null', 'null'],
    ['日本', 'my-task'],
  ])('writes a task that check accepts, also into a folder named %s', async (dir, name) => {
    const path = join(folder, dir);
    const made = await run(['init', path, '--json'], { env });
    expect(made.code).toBe(0);
    expect(made.json()).toEqual([
      { path, name, files: expect.arrayContaining(['task.yaml', 'prompt.md', 'README.md']) },
    ]);
    const checked = await run(['check', path, '--no-run', '--json'], { env });
    expect(checked.stderr).toBe('');
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;
    expect(checked.json()).toEqual([{ task: name, hash, valid: true, warnings: [] }]);
  });

  it('writes a task in Python, for a version that its lock supports', async () => {
    const path = join(folder, 'in-python');
    expect((await run(['init', path, '--python', '--pool', 'gpu'], { env })).code).toBe(0);
    const yaml = await readFile(join(path, 'task.yaml'), 'utf8');
    expect(yaml).toMatch(/^environment: \{ python: '3\.1[0-3]', lock: requirements\.lock \}$/m);
    expect(yaml).toContain('resources: { pool: gpu, memoryMb:');
    const checked = await run(['check', path, '--no-run', '--json'], { env });
    expect(checked.json()).toMatchObject([{ task: 'in-python', valid: true }]);
  });

  it('writes a task for a pool of the fleet, and none for an invalid name', async () => {
    const path = join(folder, 'pooled');
    expect((await run(['init', path, '--pool', '007'], { env })).code).toBe(0);
    expect(await readFile(join(path, 'task.yaml'), 'utf8')).toMatch(
      /budget: \{ seconds: 1, kind: wall \}(.*\n)+ *resources: \{ pool: "007", memoryMb: 512, .* \}/,
    );
    expect(await readFile(join(path, 'README.md'), 'utf8')).toMatch(/^# pooled\n/);
    expect((await run(['check', path, '--no-run'], { env })).code).toBe(0);
    const { code, stderr } = await run(['init', join(folder, 'unpooled'), '--pool', 'a b'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--pool: expected the name of a pool')]);
  });

  it('into a folder with the name of a known task says how to name it, and check says which one it used', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect((await run(['init', 'nano-lm'], { env })).stdout).toContain(
        'next:  npx perpetua check ./nano-lm   then   npx perpetua start ./nano-lm',
      );
      const known = await run(['check', 'nano-lm', '--no-run'], { env });
      expect(known.stdout).toMatch(/^The files of nano-lm are valid \(\w+\); the task has not been run$/m);
      expect(known.stderr).toMatch(/^note: nano-lm is the known task in .*; the one in this folder is \.\/nano-lm$/m);
      expect((await run(['check', './nano-lm', '--no-run'], { env })).stderr).not.toContain('note:');
    } finally {
      process.chdir(before);
    }
  });

  it('writes a task that check warns of only if no proposer could propose', async () => {
    const path = join(folder, 'nobody');
    await run(['init', path], { env });
    const file = join(path, 'task.yaml');
    const yaml = await readFile(file, 'utf8');
    await writeFile(file, yaml.replace(/^knobs:\n(?:[ #-].*\n)+/m, ''));
    const { code, stderr, json } = await run(['check', path, '--no-run', '--json'], { env });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^! `start` would refuse the task if the worker has this shell's environment: search\.proposer: mix needs/,
    );
    expect(json()).toMatchObject([{ valid: true, warnings: [stderr.trimEnd().slice(2)] }]);
    const model = { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect((await run(['check', path, '--no-run'], { env: model })).stderr).toBe('');
  });

  it('writes a task that check warns of if its coding agent is not installed', async () => {
    const path = join(folder, 'agent');
    await run(['init', path], { env });
    await appendFile(join(path, 'task.yaml'), 'search:\n  proposer: { name: command, agent: codex }\n');
    const none = { ...env, PERPETUA_AGENT_CACHE: join(folder, 'agents') };
    const { code, stderr } = await run(['check', path, '--no-run'], { env: none });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^! \S+:\d+:\d+ `start` would refuse the task: search\.proposer\.agent: expected codex in .*install codex`$/m,
    );
  });

  it('writes a task that check warns of if a model cannot see all of it, or is not used', async () => {
    const path = join(folder, 'long');
    await run(['init', path], { env });
    const model = { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    const warned = async () => (await run(['check', path, '--no-run'], { env: model })).stderr;
    expect(await warned()).toBe('');
    await writeFile(join(path, 'prompt.md'), 'mind the slope. '.repeat(10_000));
    const warning = await warned();
    expect(warning).toMatch(/^! (?:long\/task\.yaml\S+ )?the prompt is too long, .*\n$/);
    expect(warning).toMatch(/ [\d,]+ of 1\d\d,\d{3} characters of it; shorten the prompt file, .*\n$/);
    const file = join(path, 'task.yaml');
    const yaml = await readFile(file, 'utf8');
    await writeFile(file, `${yaml}\nsearch:\n  proposer: random\n`);
    expect(await warned()).toMatch(
      /^! long\/task\.yaml:\d+:\d+ a model endpoint is set, but this task does not use it: .*\n$/,
    );
  });

  it('never writes into a folder with files', async () => {
    await writeFile(join(folder, 'keep'), '');
    const { code, stderr } = await run(['init', folder], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('to be new or empty');
  });

  it('names the schema in a comment that editors read', async () => {
    const path = join(folder, 'schema');
    await run(['init', path], { env });
    const schema = /\$schema=(\S+)/.exec(await readFile(join(path, 'task.yaml'), 'utf8'))?.[1] ?? '';
    expect(JSON.parse(await readFile(schema, 'utf8'))).toHaveProperty('properties.metric');
  });
});

describe('a task that cannot be used', () => {
  it.each(['check', 'start'])('is refused by %s with the key, before any connection', async (command) => {
    const path = join(folder, `bad-${command}`);
    await run(['init', path], { env });
    const yaml = await readFile(join(path, 'task.yaml'), 'utf8');
    await writeFile(join(path, 'task.yaml'), yaml.replace('direction: minimize', 'direction: down'));
    const { code, stderr, json } = await run([command, path, '--json'], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/task\.yaml:\d+:\d+ metric\.direction: expected/);
    expect(json()).toEqual([{ error: { code: 'refused', message: stderr.trimEnd() } }]);
  });

  it('is refused with the known tasks if its name is unknown', async () => {
    const { code, stderr } = await run(['start', 'nano-ln'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('There is no task "nano-ln": it is no known task (');
    expect(stderr).toContain('Did you mean nano-lm?');
  });
});

describe('start', () => {
  it.each([
    [['--budget-trials', 'ten'], 'Expected --budget-trials to be a number'],
    [['--budget-trials', '0'], 'budget.trials'],
    [['--window', '0'], 'window'],
    [['--proposer', 'magic'], 'proposer'],
    [['--when-spent', 'explode'], 'budget.whenSpent'],
    [['--id', 'a/1'], 'Expected an id of letters'],
    [['--id', '../x'], 'Expected an id of letters'],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await run(['start', 'nano-lm', ...options], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
