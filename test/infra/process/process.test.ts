import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { identify, isAlive } from '../../../infra/process/identity.ts';
import { findProcesses } from '../../../infra/process/list.ts';
import { acquireLock, LockHeldError } from '../../../infra/process/lock.ts';
import { logTail, rotateLiveLog, rotateLog } from '../../../infra/process/log-file.ts';
import { startDetached } from '../../../infra/process/start.ts';
import { stopProcess } from '../../../infra/process/stop.ts';
import { signalAll } from '../../support/process/signal.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-process-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (script: string, log: string) =>
  startDetached({
    command: '/bin/sh',
    args: ['-c', script],
    env: { PATH: '/usr/bin:/bin' },
    cwd: folder,
    logFile: join(folder, log),
  });

describe('a process', () => {
  test('its identity is not that of another process under the same id', () => {
    const me = identify(process.pid);
    expect(me && isAlive(me)).toBe(true);
    expect(isAlive({ pid: process.pid, startedAt: 'earlier' })).toBe(false);
    expect(identify(2 ** 22 + 1)).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')('a zombie is dead', async () => {
    // The shell starts a child, becomes another program, and so never reaps it.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const text = await new Promise<string>((resolve) => {
      parent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    const pid = Number(text);
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    expect(identify(pid)).toBeUndefined();
    parent.kill();
  });

  test('a detached one leads its own group, writes its log and is found by its arguments', async () => {
    const mark = `marked-${process.pid}`;
    const found = await start(`echo hello; sleep 60; echo ${mark}`, 'found.log');
    const matching = () => findProcesses((args) => args.some((arg) => arg.includes(mark)));
    // A child of the shell has its arguments until it becomes `sleep`.
    await expect.poll(() => matching().map(({ pid }) => pid)).toEqual([found.pid]);
    await expect.poll(() => logTail(join(folder, 'found.log'))).toBe('hello');
    expect(process.kill(-found.pid, 0)).toBe(true);
    expect(await stopProcess(found, { graceMs: 20_000 })).toBe('gone');
    signalAll([-found.pid]); // the shell's sleep, if it came to that
  });

  test('one that ignores TERM is killed, and one that is not meant is left alone', async () => {
    const stubborn = await start("trap '' TERM; echo ready; while :; do sleep 0.1; done", 'stubborn.log');
    await expect.poll(() => logTail(join(folder, 'stubborn.log'))).toContain('ready');
    expect(await stopProcess({ ...stubborn, startedAt: 'earlier' }, { graceMs: 0 })).toBe('gone');
    expect(isAlive(stubborn)).toBe(true);
    expect(await stopProcess(stubborn, { graceMs: 200 })).toBe('killed');
    expect(isAlive(stubborn)).toBe(false);
  });
});

describe('a lock', () => {
  test.each(['', '{}', 'null', '{"pid": 1', '7'])('that names no process is stale: %j', (text) => {
    const path = join(folder, 'unreadable.lock');
    writeFileSync(path, text);
    const release = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(LockHeldError);
    release();
    expect(existsSync(path)).toBe(false);
  });

  test('it is held once, and free again after its release', () => {
    const path = join(folder, 'a.lock');
    const release = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(LockHeldError);
    release();
    acquireLock(path)();
    expect(existsSync(path)).toBe(false);
  });

  test('that of a dead process is taken over', () => {
    const path = join(folder, 'b.lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'earlier', since: 'then' }));
    const release = acquireLock(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(identify(process.pid) ?? { pid: 0 });
    release();
  });
});

describe('a log', () => {
  test('it is moved aside when it is long, and three old ones are kept', () => {
    const path = join(folder, 'rotate.log');
    for (const content of ['one', 'two', 'three', 'four', 'five']) {
      writeFileSync(path, content);
      rotateLog(path, 1);
    }
    const old = [1, 2, 3, 4].map((n) => existsSync(`${path}.${n}`) && readFileSync(`${path}.${n}`, 'utf8'));
    expect(old).toEqual(['five', 'four', 'three', false]);
    expect(existsSync(path)).toBe(false);
  });

  test('while a process appends to it, it is copied and cut, and the process goes on in it', async () => {
    const path = join(folder, 'live.log');
    const writer = await start('while :; do echo line; sleep 0.02; done', 'live.log');
    await expect.poll(() => statSync(path).size).toBeGreaterThan(50);
    rotateLiveLog(path, 1);
    expect(statSync(`${path}.1`).size).toBeGreaterThan(50);
    await expect.poll(() => readFileSync(path, 'utf8')).toMatch(/^line\nline\n/);
    await stopProcess(writer, { graceMs: 1000 });
    appendFileSync(path, 'end');
    expect(logTail(path, 1)).toBe('end');
  });
});

describe('the identity of a process', () => {
  const noPython = spawnSync('python3', ['-c', '']).status === 0 ? '' : ' (skipped: no python3)';
  /** Its first thread ends, another one stays. */
  const HEADLESS = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
print('up', flush=True)
ctypes.CDLL(None).pthread_exit(None)
`;

  it.skipIf(noPython !== '')(`a process lives until the last of its threads has ended${noPython}`, async () => {
    const child = spawn('python3', ['-c', HEADLESS], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = child.pid ?? 0;
    const born = identify(pid);
    await once(child.stdout, 'data');
    await expect.poll(() => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]).toBe('Z');
    expect(born && isAlive(born)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(born && isAlive(born)).toBe(false);
  });
});
