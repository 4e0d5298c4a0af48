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

/** A stage whose lock a setup holds that nobody asks for any more and that has so many seconds, with the process that it started. */
async function left(shell: string, seconds: number) {
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
  it('is waited for as long as its setup has, however little who waits would give it', async () => {
    const { start, runner, pid } = await left(shell, DAY);
    const hasty = start('setup', 'hash1', 'hasty', 0, 0, PATH, 'true');
    let said = '';
    hasty.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said.match(/^beat 0$/gm)?.length ?? 0, { timeout: 30_000 }).toBeGreaterThan(2);
    expect([runner.signalCode, isRunning(pid), said.includes('begun')]).toEqual([null, true, false]);
  });

  it('is taken from a setup whose worker died when its time is over', async () => {
    const { stage, start, gone, pid } = await left(shell, 1);
    const next = once(start('setup', 'hash1', 'next', 0, DAY, PATH, 'true'), 'exit');
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(await next).toEqual([0, null]);
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(join(stage, 'prepared'))).toBe(true);
  });

  it('is not waited for by who ends a setup, where another has it by then', async () => {
    const { stage, start, runner, pid } = await left(shell, DAY);
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
