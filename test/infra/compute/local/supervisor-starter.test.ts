import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../../config/paths.ts';
import { createSupervisorStarter } from '../../../../infra/compute/local/supervisor-starter.ts';
import { isRunning } from '../../../support/process/is-running.ts';

const home = mkdtempSync(join(tmpdir(), "perpetua starter's\n-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Writes a script in place of the supervisor, and makes a control directory for it. */
function script(name: string, text: string): { file: string; control: string } {
  const [file, control] = [join(home, `${name}.sh`), join(home, `control of ${name}`)];
  writeFileSync(file, text);
  mkdirSync(control);
  return { file, control };
}

const pidIn = async (file: string): Promise<number> => {
  await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : '')).toMatch(/^\d+\n$/);
  return Number(readFileSync(file, 'utf8'));
};
const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

describe('a supervisor that is started by another process', () => {
  test('gets its control directory, whatever the home is called, and reports its exit code', async () => {
    const { file, control } = script('told', 'echo "$1" >"$1/told"; exit 7');
    const { exitCode } = createSupervisorStarter(home).start(file, control);
    expect(exitCode()).toBeUndefined();
    await expect.poll(exitCode).toBe(7);
    expect(readFileSync(join(control, 'told'), 'utf8')).toBe(`${control}\n`);
  });

  test('writes its errors to a file that only the worker can read', async () => {
    const { file, control } = script('complaint', 'echo alas >&2');
    const { exitCode } = createSupervisorStarter(home).start(file, control);
    await expect.poll(exitCode).toBe(0);
    expect(readFileSync(join(control, 'supervisor.log'), 'utf8')).toBe('alas\n');
    expect(statSync(join(control, 'supervisor.log')).mode & 0o777).toBe(0o600);
  });

  test("gets none of the worker's variables, no input, and a session of its own", async () => {
    process.env.PERPETUA_TEST_SECRET = 'secret';
    const { file, control } = script('bare', 'env >"$1/env"; cat >"$1/input"; cat /proc/self/stat >"$1/stat"');
    const { exitCode } = createSupervisorStarter(home).start(file, control);
    await expect.poll(exitCode).toBe(0);
    expect(readFileSync(join(control, 'env'), 'utf8')).not.toContain('PERPETUA_TEST_SECRET');
    expect(readFileSync(join(control, 'input'), 'utf8')).toBe('');
    const session = readFileSync(join(control, 'stat'), 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[3];
    const ours = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[3];
    expect(session).not.toBe(ours);
  });

  test('is one of many at once, each with its own exit code', async () => {
    const starter = createSupervisorStarter(home);
    const all = Array.from({ length: 20 }, (_, n) => {
      const { file, control } = script(`many-${n}`, `sleep 0.1; exit ${n}`);
      return starter.start(file, control);
    });
    for (const [n, { exitCode }] of all.entries()) await expect.poll(exitCode).toBe(n);
  });

  test('ends with a code other than 0 if it cannot be started at all', async () => {
    const { control } = script('gone', '');
    const { exitCode } = createSupervisorStarter(home).start(join(home, 'never-there.sh'), control);
    await expect.poll(exitCode).toBeGreaterThan(0);
  });
});

describe('the shell that starts them', () => {
  test('may be killed: the supervisor that it started lives, and another shell starts the next', async () => {
    const starter = createSupervisorStarter(home);
    const long = script('long', 'echo $$ >"$1/pid"; exec sleep 4520');
    const { exitCode } = starter.start(long.file, long.control);
    const pid = await pidIn(join(long.control, 'pid'));
    try {
      process.kill(parentOf(parentOf(pid)), 'SIGKILL');
      await expect.poll(exitCode).toBeNull();
      expect(isRunning(pid)).toBe(true);
      const next = script('next', 'exit 3');
      const { exitCode: nextCode } = starter.start(next.file, next.control);
      await expect.poll(nextCode).toBe(3);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  test('is not lost in a home that was cleared and made again', async () => {
    const cleared = join(home, 'cleared');
    const put = (name: string): [string, string] => {
      mkdirSync(join(cleared, name), { recursive: true });
      writeFileSync(join(cleared, 'script.sh'), 'exit 5');
      return [join(cleared, 'script.sh'), join(cleared, name)];
    };
    const starter = createSupervisorStarter(cleared);
    const { exitCode: before } = starter.start(...put('before'));
    await expect.poll(before).toBe(5);
    rmSync(cleared, { recursive: true });
    const { exitCode: after } = starter.start(...put('after'));
    await expect.poll(after).toBe(5);
  });

  test('is abandoned if it seems to hang', async () => {
    const starter = createSupervisorStarter(home);
    const long = script('hung', 'echo $$ >"$1/pid"; exec sleep 4523');
    starter.start(long.file, long.control);
    const pid = await pidIn(join(long.control, 'pid'));
    const hung = parentOf(parentOf(pid));
    process.kill(hung, 'SIGSTOP');
    try {
      const waiting = script('waiting', 'exit 3');
      const { exitCode } = starter.start(waiting.file, waiting.control);
      starter.renew();
      expect(exitCode()).toBeNull();
      const next = script('after-hung', 'exit 4');
      const { exitCode: nextCode } = starter.start(next.file, next.control);
      await expect.poll(nextCode).toBe(4);
      expect(isRunning(pid)).toBe(true);
    } finally {
      process.kill(hung, 'SIGCONT');
      process.kill(pid, 'SIGKILL');
    }
    await expect.poll(() => isRunning(hung)).toBe(false);
  });

  test('keeps no zombies of supervisors that ended', async () => {
    const starter = createSupervisorStarter(home);
    const long = script('parent', 'echo $$ >"$1/pid"; exec sleep 4521');
    starter.start(long.file, long.control);
    const pid = await pidIn(join(long.control, 'pid'));
    try {
      const helper = parentOf(parentOf(pid));
      for (let n = 0; n < 10; n += 1) {
        const { file, control } = script(`short-${n}`, '');
        const { exitCode } = starter.start(file, control);
        await expect.poll(exitCode).toBe(0);
      }
      // Eleven were started: the living one remains, and those that ended since the last start, which reaps zombies.
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(helper)], { encoding: 'utf8' });
      expect(children.trim().split('\n').length).toBeLessThan(8);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  test('ends with its worker, however that dies, and the supervisor that it started lives', async () => {
    const { file, control } = script('orphan', 'echo $$ >"$1/pid"; exec sleep 4522');
    const module = join(packageRoot(), 'dist/infra/compute/local/supervisor-starter.js');
    const worker = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { createSupervisorStarter } = await import(${JSON.stringify(module)});
         createSupervisorStarter(${JSON.stringify(home)}).start(${JSON.stringify(file)}, ${JSON.stringify(control)});
         setTimeout(() => {}, 60_000);`,
      ],
      { stdio: 'inherit' },
    );
    const pid = await pidIn(join(control, 'pid'));
    const helper = parentOf(parentOf(pid));
    worker.kill('SIGKILL');
    await expect.poll(() => isRunning(helper)).toBe(false);
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});
