import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../../../support/process/is-running.ts';
import { signalAll } from '../../../../support/process/signal.ts';
import { host, SHELLS } from '../support/host-call.ts';

const PATH = '/usr/bin:/bin';
const DAY = 86_400;
const children: ChildProcess[] = [];
const started: number[] = [];
afterEach(() => {
  children.splice(0).forEach((child) => child.kill('SIGKILL'));
  signalAll(started.splice(0));
});

/**
 * Starts a setup with a time limit in seconds, whose worker is gone and which holds the lock of its stage.
 * Returns the stage and the process that the setup started.
 */
async function abandonedSetup(shell: string, seconds: number) {
  const on = host(shell);
  const stage = join(on.base, 'stages', 'hash1');
  for (const part of ['files', 'data']) mkdirSync(join(stage, part), { recursive: true });
  writeFileSync(join(stage, 'manifest'), '');
  const start = (...words: (string | number)[]): ChildProcess => {
    const child = spawn(on.words[0], [...on.words.slice(1), ...words.map(String)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    return child;
  };
  const runner = start('setup_run', 'hash1', 'left', seconds, PATH, 'echo $$ >"$HOME/pid"; exec sleep 4875');
  const pid = (): number => (existsSync(join(stage, 'pid')) ? Number(readFileSync(join(stage, 'pid'), 'utf8')) : 0);
  await expect.poll(pid).toBeGreaterThan(0);
  started.push(pid());
  return { stage, start, runner, gone: once(runner, 'exit'), pid: pid() };
}

describe.each(SHELLS)("the lock of a setup, by the host's script under %s", (shell) => {
  it('is waited for until the limit of its setup, however short the limit of the waiting setup', async () => {
    const { start, runner, pid } = await abandonedSetup(shell, DAY);
    const hasty = start('setup', 'hash1', 'hasty', 0, 0, PATH, 'true');
    let output = '';
    hasty.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output.match(/^beat 0$/gm)?.length ?? 0, { timeout: 30_000 }).toBeGreaterThan(2);
    expect([runner.signalCode, isRunning(pid), output.includes('begun')]).toEqual([null, true, false]);
  });

  it('is taken from a setup whose worker died once the limit of the setup is over', async () => {
    const { stage, start, gone, pid } = await abandonedSetup(shell, 1);
    const next = once(start('setup', 'hash1', 'next', 0, DAY, PATH, 'true'), 'exit');
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(await next).toEqual([0, null]);
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(join(stage, 'prepared'))).toBe(true);
  });

  it('is not waited for when a setup is ended and another setup already holds the lock', async () => {
    const { stage, start, runner, pid } = await abandonedSetup(shell, DAY);
    const ended = spawn('sleep', ['4876'], { stdio: 'ignore' });
    children.push(ended);
    await once(ended, 'spawn');
    const stat = readFileSync(`/proc/${ended.pid ?? 0}/stat`, 'utf8');
    const birth = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    writeFileSync(join(stage, 'setup-ended.pid'), `${ended.pid ?? 0} ${birth} ${boot}\n`);
    const over = once(ended, 'exit');
    expect(await once(start('setup_kill', 'hash1', 'ended'), 'exit')).toEqual([0, null]);
    expect(await over).toEqual([null, 'SIGKILL']);
    expect([runner.signalCode, isRunning(pid)]).toEqual([null, true]);
  });
});
