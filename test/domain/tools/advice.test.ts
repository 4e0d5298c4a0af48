import { expect, it } from 'vitest';
import { adviceFor, unlessMentioned, type Advised, type FoundTool } from '../../../domain/tools/advice.ts';

const TASK: Advised = { path: [], readable: [], lock: null, machine: 'this machine' };
const PYTHONS = ['2.7.18', '3.6.15', '3.11.7', '3.12.1', '3.13.0', '3.14.0', '3.9.1', '3.8.1', '3.7.1'];
const numpy = { kind: 'python', name: 'numpy' } as const;
const at = (folder: string, more: Partial<FoundTool> = {}): FoundTool => ({
  folder,
  version: null,
  userSite: null,
  closed: null,
  refused: null,
  ...more,
});

it('gives the line of task.yaml for the Python that has a module, and at most two others', () => {
  const found = ['/a', '/b', '/c', '/d'].map((base) => at(`${base}/bin`, { version: '3.11.7' }));
  expect(adviceFor(numpy, { found, pythons: PYTHONS.slice(0, 9) }, TASK)).toBe(
    'numpy is in the Python 3.11.7 of /a/bin, which runs cannot use.\n' +
      'In task.yaml, under run, add:  path: [/a/bin]\nAlso in /b/bin and /c/bin.',
  );
});

it('puts found folders before those that the task has already', () => {
  const command = { kind: 'command', name: 'uv' } as const;
  const task = { ...TASK, path: ['/old'], readable: ['/data'] };
  expect(adviceFor(command, { found: [at('/my tools/bin')], pythons: PYTHONS.slice(0, 0) }, task)).toMatch(
    /path: \["\/my tools\/bin", \/old\]$/,
  );
  const file = { kind: 'file', name: '/sets/x.csv' } as const;
  expect(adviceFor(file, { found: [at('/sets')], pythons: PYTHONS.slice(0, 0) }, task)).toMatch(
    /set: {2}readable: \[\/data, \/sets\]$/,
  );
  const ofEvaluator = { ...task, evaluator: { readable: ['/labels'] } };
  expect(adviceFor(file, { found: [at('/sets')], pythons: [] }, ofEvaluator)).toBe(
    '/sets/x.csv exists, but the evaluator cannot read it.\n' +
      'In task.yaml, under evaluator, set:  readable: [/labels, /sets]',
  );
  const program = { kind: 'file', name: '/home/me/venv/bin/python' } as const;
  expect(adviceFor(program, { found: [at('/home/me/venv/bin')], pythons: PYTHONS.slice(0, 0) }, TASK)).toMatch(
    /path: \[\/home\/me\/venv\/bin\]$/,
  );
});

it('shows a run the packages of one user, and sets PYTHONPATH', () => {
  const userSite = '/home/me/.local/lib/python3.11/site-packages';
  expect(
    adviceFor(numpy, { found: [at('/usr/bin', { version: '3.11.2', userSite })], pythons: PYTHONS.slice(0, 1) }, TASK),
  ).toContain(`readable: [${userSite}]  and  env: { PYTHONPATH: ${userSite} }`);
});

it('names a folder that the user of runs may not read, with the fix', () => {
  const closed = { path: '/root/venv', mode: '700', folder: '/root/venv' };
  expect(
    adviceFor(
      numpy,
      { found: [at('/root/venv/bin', { version: '3.12.1', closed })], pythons: PYTHONS.slice(0, 1) },
      TASK,
    ),
  ).toMatch(
    new RegExp(
      'which may not read /root/venv \\(mode 700\\): chmod -R o\\+rX /root/venv, ' +
        'or add {2}environment: .*\\n.* path: \\[/root/venv/bin\\]$',
    ),
  );
});

it('prefers a folder that runs may be shown, and otherwise gives the reason why they may not', () => {
  const refused = at('/srv/perpetua/venv/bin', { refused: 'Perpetua keeps it from runs' });
  expect(adviceFor(numpy, { found: [refused, at('/a/bin')], pythons: PYTHONS.slice(0, 2) }, TASK)).toMatch(
    /path: \[\/a\/bin\]$/,
  );
  const words = adviceFor(numpy, { found: [refused], pythons: PYTHONS.slice(0, 2) }, TASK);
  expect(words).toContain('of /srv/perpetua/venv/bin, which runs cannot use: Perpetua keeps it from runs.\nUse');
  expect(words).not.toContain('path: [');
});

it('advises to copy a file or a program from a folder that no run may see', () => {
  const refused = 'it holds more than a run should see';
  const file = { kind: 'file', name: '/home/me/x.csv' } as const;
  expect(adviceFor(file, { found: [at('/home/me', { refused })], pythons: [] }, TASK)).toBe(
    '/home/me/x.csv exists, but runs cannot see its folder /home/me: it holds more than a run should see.\n' +
      'If every candidate may read it, copy it to another folder, such as /data/mine.\n' +
      'In task.yaml, under run, add:  readable: [/data/mine]',
  );
  const program = { kind: 'command', name: 'uv' } as const;
  expect(adviceFor(program, { found: [at('/home/me', { refused })], pythons: [] }, TASK)).toMatch(
    /every candidate may use it, copy it to another folder, such as \/data\/mine\.\n.*add: {2}path: \[\/data\/mine\]$/,
  );
});

it('names no environment of Python for a file that the user of runs may not read', () => {
  const closed = { path: '/root/data', mode: '700', folder: '/root/data' };
  const words = adviceFor(
    { kind: 'file', name: '/root/data/x.csv' },
    { found: [at('/root/data', { closed })], pythons: [] },
    TASK,
  );
  expect(words).toContain('chmod -R o+rX /root/data.');
  expect(words).not.toContain('environment:');
});

it('states that the machine lacks a tool, or that the lock of the environment lacks it', () => {
  expect(adviceFor(numpy, { found: [], pythons: PYTHONS.slice(0, 9) }, TASK)).toBe(
    'The Pythons that were found on this machine lack numpy (9 searched). ' +
      'If another one has it, add under run  path: [/folder/of/that/python].\nList it in a lock file, ' +
      "and add to task.yaml:  environment: { python: '3.11', lock: requirements.lock }",
  );
  expect(adviceFor(numpy, { found: [at('/a/bin')], pythons: PYTHONS.slice(0, 9) }, { ...TASK, lock: 'uv.lock' })).toBe(
    "numpy is not in the task's environment: add it to uv.lock, and lock it again.",
  );
  const sklearn = { kind: 'python', name: 'sklearn' } as const;
  expect(adviceFor(sklearn, { found: [], pythons: [] }, { ...TASK, lock: 'uv.lock' })).toContain(
    'add its package, scikit-learn, to uv.lock',
  );
  expect(adviceFor({ kind: 'command', name: 'jqq' }, { found: [], pythons: PYTHONS.slice(0, 0) }, TASK)).toContain(
    'has jqq: install it',
  );
  expect(adviceFor({ kind: 'file', name: '/nope' }, { found: [], pythons: PYTHONS.slice(0, 0) }, TASK)).toBeNull();
});

it('is null if the message has it already', () => {
  expect(unlessMentioned('add it to uv.lock', 'exit code 1\nadd it to uv.lock')).toBeNull();
  expect(unlessMentioned('add it to uv.lock', 'exit code 1')).toBe('add it to uv.lock');
  expect(unlessMentioned('add it to uv.lock', null)).toBe('add it to uv.lock');
});
