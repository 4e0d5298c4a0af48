import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { LogLine } from '../../../db/reads/read-log.ts';
import type { Protections } from '../../../infra/compute.ts';
import { run } from '../../cli/support/cli.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

/** The score at X = 1.5. */
const VALUE = -30.25;

let stack: TestStack;

const check = async (name: string, task: NonNullable<Parameters<typeof writeTask>[1]>['task'], people = false) => {
  return checkFolder(await writeTask(join(stack.home, 'tasks', name), { task: { name, ...task } }), { people });
};

interface Shell {
  people?: boolean;
  /** Variables of the shell. */
  shell?: Record<string, string>;
}

const checkFolder = async (folder: string, { people = false, shell = {} }: Shell = {}) => {
  const { temporalAddress, databaseUrl, home } = stack;
  const env = { ...shell, TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home };
  return run(['check', folder, ...(people ? [] : ['--json'])], { env });
};

export function checkTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('check runs the unmodified workspace once and prints its score, without a warning', async () => {
    const { code, json, stderr } = await check('well', {});
    expect(stderr).not.toContain('!');
    expect(code).toBe(0);
    const protectionsOf = { host: expect.any(String) as unknown, unknown: null };
    expect(json()).toMatchObject([{ task: 'well', warnings: [], protectionsOf }]);
    const [{ trial, protections }] = json() as [{ trial: LogLine; protections: Protections }];
    expect(trial).toMatchObject({ kind: 'baseline', status: 'completed', value: VALUE });
    expect(trial.seconds).toBeGreaterThan(0);
    expect(protections).toMatchObject({
      sandboxed: expect.any(Boolean) as unknown,
      notes: expect.any(Array) as unknown,
    });
  });

  test('check prints for people the value, the seconds and the protections of a run', async () => {
    const { code, stdout } = await check('people', {}, true);
    expect(code).toBe(0);
    expect(stdout).toContain('the unmodified workspace ran');
    expect(stdout).toMatch(/^ +score +-30\.25$/m);
    expect(stdout).toMatch(/^ +seconds +\d+(\.\d)? (s|min)/m);
    expect(stdout).toMatch(/^ +containment +(pid-namespace|cgroup|uid|process-group) \(/m);
    expect(stdout).toMatch(/^ +sandbox +(yes|no)$/m);
    expect(stdout).toMatch(/^ *network +(cut off|open to the run)/m);
  });

  test('check warns of a secondary metric that the evaluator does not report', async () => {
    const { code, json } = await check('secondary', { secondary: [{ name: 'speed' }] });
    expect(code).toBe(0);
    expect(json()).toMatchObject([
      {
        warnings: [
          expect.stringMatching(/^\S*task\.yaml:\d+:\d+ expected the evaluator to report speed \(secondary\), it /),
        ],
      },
    ]);
  });

  test('check warns of a progress pattern that matches no line', async () => {
    const { code, json } = await check('silent', { progress: { pattern: '^stepp (?<step>\\d+) (?<value>\\S+)$' } });
    expect(code).toBe(0);
    expect(json()).toMatchObject([{ warnings: [expect.stringContaining('expected lines of the run that progress')] }]);
  });

  test('check prints the end and the output of a failed run in one JSON object', async () => {
    const budget = { seconds: 5, kind: 'wall' as const };
    const { code, json } = await check('broken', {
      run: { command: 'echo on the way; exit 7', budget, artefacts: [{ path: 'out.txt' }] },
    });
    expect(code).toBe(1);
    const [result, ...more] = json() as [{ error: { message: string } }, ...unknown[]];
    expect(more).toEqual([]);
    expect(result).toMatchObject({ task: 'broken', error: { code: 'failed' } });
    expect(result.error.message).toMatch(/^The unmodified workspace ended as exit-code: /);
  });

  test('check prints the line that adds a missing program, and refuses a missing requirement at once', async () => {
    const base = await mkdtemp(join(tmpdir(), 'perpetua-advised-'));
    const folder = join(base, 'task');
    const bin = join(folder, '.venv', 'bin');
    const budget = { seconds: 5, kind: 'wall' as const };
    const command = 'frobnicate && sh run.sh';
    const checked = async (more: { path?: string[]; requires?: string[] }) => {
      const { requires = [], path = [] } = more;
      const run = { command, budget, artefacts: [{ path: 'out.txt' }], path };
      await writeTask(folder, { task: { name: 'advised', run, requires } });
      return checkFolder(folder);
    };
    try {
      await mkdir(bin, { recursive: true });
      await writeFile(join(folder, '.venv', 'pyvenv.cfg'), 'home = /usr/bin\n');
      await writeFile(join(bin, 'frobnicate'), '#!/bin/sh\necho "frobnicate 2.5.1"\n', { mode: 0o755 });
      await chmod(base, 0o755);
      const line = `path: [${bin}]`;
      const failed = await checked({});
      expect(failed.code).toBe(1);
      expect(failed.json()).toMatchObject([
        {
          error: { message: expect.stringContaining(`In task.yaml, under run, add:  ${line}`) as unknown },
          trial: { failure: 'exit-code', seconds: expect.any(Number) as unknown },
        },
      ]);
      const refused = await checked({ requires: ['sh', 'frobnicate>=2'] });
      expect(refused.stderr).toContain(`task.yaml:`);
      expect(refused.stderr).toMatch(
        /requires: expected frobnicate>=2 on host \S+, got nothing; \S+ has it: under run, add {2}path: \[/,
      );
      const older = await checked({ path: [bin], requires: ['frobnicate>=3'] });
      expect(older.stderr).toContain(`got 2.5.1 of ${bin}/frobnicate; install it`);
      const well = await checked({ path: [bin], requires: ['sh', 'frobnicate>=2.5,<3'] });
      expect(well.json()).toMatchObject([{ trial: { status: 'completed', value: VALUE } }]);
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  });

  test("check finds a module in the shell's environment, and never says that the machine lacks it", async () => {
    const base = await mkdtemp(join(tmpdir(), 'perpetua-active-'));
    const venv = join(base, 'env');
    const budget = { seconds: 5, kind: 'wall' as const };
    try {
      execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', venv]);
      const [lib = ''] = await readdir(join(venv, 'lib'));
      await writeFile(join(venv, 'lib', lib, 'site-packages', 'only_in_shell.py'), '');
      const run = { command: 'python3 -c "import only_in_shell"', budget, artefacts: [{ path: 'out.txt' }] };
      const folder = await writeTask(join(base, 'task'), { task: { name: 'active', run } });
      const { stderr } = await checkFolder(folder, {
        people: true,
        shell: { PATH: '/usr/bin:/bin', VIRTUAL_ENV: venv },
      });
      expect(stderr).toContain(`In task.yaml, under run, add:  path: [${venv}/bin]`);
      expect(stderr).not.toContain('lack only_in_shell');
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  });

  test('check and the failure of a run that uv starts name environment and the lock', async () => {
    const budget = { seconds: 5, kind: 'wall' as const };
    const run = { command: 'uv run train.py', budget, artefacts: [{ path: 'out.txt' }] };
    const { json } = await check('launched', { run });
    const advice = expect.stringMatching(
      /set {2}environment: \{ .*, lock: uv\.lock \} {2}and the command {2}python train/,
    );
    expect(json()).toMatchObject([
      { warnings: [advice], error: { message: advice as unknown }, trial: { reason: advice as unknown } },
    ]);
  });

  test('check warns of a setup that names a mutable file, also if that makes it fail', async () => {
    const { code, json } = await check('unseeing', { setup: { commands: ['grep X knobs.env'] } });
    expect(code).toBe(1);
    const unseen = /Setup cannot read knobs\.env, since candidates change it\. In task\.yaml, list it under immutable/;
    expect(json()).toMatchObject([
      {
        warnings: [expect.stringMatching(unseen)],
        error: { message: expect.stringMatching(unseen) as unknown },
        trial: { failure: 'setup-failed' },
      },
    ]);
  });

  test('check refuses a pool without slots instead of waiting for one', async () => {
    const budget = { seconds: 5, kind: 'wall' as const };
    const run = { command: 'sh run.sh', budget, artefacts: [{ path: 'out.txt' }], resources: { pool: 'gpuu' } };
    const { code, stderr } = await check('poolless', { run });
    expect(code).toBe(2);
    expect(stderr).toContain('run.resources.pool: no machine offers a slot of the pool gpuu. ');
  });
}
