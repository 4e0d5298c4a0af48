import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { acquireLock } from '../../../../infra/process/lock.ts';
import { buildCli } from '../../../../infra/temporal/cli/build-cli.ts';
import type { FindProgress } from '../../../../infra/temporal/cli/cli-options.ts';
import { isRunning } from '../../../support/process/is-running.ts';
import { findInstalledCli, findTemporalCli } from '../../../../infra/temporal/cli/find-cli.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-find-'));
  for (const [name, version] of [
    ['path', '1.7.3 (Server 1.31.2, UI 2.49.1)'],
    ['given', '1.8.2 (Server 1.31.2, UI 2.50.1)'],
    ['kept', '1.5.1 (Server 1.29.1, UI 2.42.1)'],
  ] as const)
    await program(join(folder, name), `echo 'temporal version ${version}'`);
  await program(join(folder, 'broken'), 'exit 1');
  await program(join(folder, 'foreign'), 'echo something else');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function program(dir: string, script: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'temporal'), `#!/bin/sh\n${script}\n`);
  await chmod(join(dir, 'temporal'), 0o755);
}
const at = (name: string) => join(folder, name, 'temporal');
const look = (options: { cliPath?: string; path?: string; kept?: string }) =>
  findInstalledCli({
    cliPath: options.cliPath ?? null,
    keptAt: at(options.kept ?? 'none'),
    env: { PATH: options.path ?? '' },
  });

describe('a `temporal` binary', () => {
  test('is the configured one, or else the one on the PATH, or else the kept one', async () => {
    const all = { cliPath: at('given'), path: join(folder, 'path'), kept: 'kept' };
    expect(await look(all)).toMatchObject({ way: 'TEMPORAL_CLI_PATH', path: at('given') });
    expect(await look({ path: all.path, kept: 'kept' })).toMatchObject({ way: 'PATH', path: at('path') });
    expect(await look({ kept: 'kept' })).toEqual({
      way: 'kept',
      path: at('kept'),
      version: { cli: '1.5.1', server: '1.29.1', ui: '2.42.1' },
    });
    expect(await look({})).toBeNull();
  });

  test('is skipped if it is broken and on the PATH; a configured one that is wrong is an error', async () => {
    const path = [join(folder, 'broken'), join(folder, 'path')].join(':');
    expect(await look({ path })).toMatchObject({ path: at('path') });
    await expect(look({ cliPath: at('missing') })).rejects.toThrow(/TEMPORAL_CLI_PATH: expected a file, found nothing/);
    await expect(look({ cliPath: at('foreign') })).rejects.toThrow(/to name a Temporal server, got "something else"/);
    await expect(look({ cliPath: at('broken') })).rejects.toThrow(/does not run/);
  });

  test('that cannot be found or installed gives one error that lists every way', async () => {
    const steps: FindProgress['step'][] = [];
    const find = findTemporalCli({
      cliPath: null,
      keptAt: join(folder, 'nowhere', 'temporal'),
      env: { PATH: '/nonexistent' },
      packageRoot: folder, // the SDK does not resolve from here
      onProgress: ({ step }) => steps.push(step),
    });
    await expect(find).rejects.toThrow(
      /download: .*build: no `go` on the PATH.*TEMPORAL_ADDRESS.*TEMPORAL_CLI_PATH.*Go module proxy/s,
    );
    // On a slow machine, the failure takes seconds, which are reported as `fetching`.
    const other = steps.filter((step) => step !== 'fetching');
    expect(other.slice(0, 2)).toEqual(['download', 'download-failed']);
    expect(await readdir(join(folder, 'nowhere'))).toEqual([]);
  });

  test('that another process is building is waited for', async () => {
    const keptAt = join(folder, 'shared', 'temporal');
    const release = acquireLock(`${keptAt}.lock`);
    const steps: string[] = [];
    const env = { PATH: '/nonexistent' };
    const waiting = buildCli({ keptAt, env, onProgress: (progress) => void steps.push(progress.step) });
    await program(join(folder, 'shared'), 'exit 0');
    release();
    await waiting;
    expect(steps).toEqual(['build-waiting']);
    expect(existsSync(`${keptAt}.lock`)).toBe(false);
  });
});

describe('the cancellation of a search for the binary', () => {
  /** Script that writes its pid and that of its child, and runs for ten minutes. */
  const ENDLESS = 'sleep 600 & echo "$$ $!" > "$PIDS"; mkdir -p "$GOTMPDIR/go-build1"; wait';
  const pidsIn = async (file: string): Promise<number[]> => {
    const text = await vi.waitFor(async () => {
      const written = await readFile(file, 'utf8');
      expect(written).toMatch(/\d+ \d+\n/);
      return written;
    }, 60_000);
    return text.trim().split(' ').map(Number);
  };

  test('ends a build with all its processes, and leaves no file of it', async () => {
    const bin = join(folder, 'ended');
    await mkdir(join(folder, 'tools'), { recursive: true });
    await writeFile(join(folder, 'tools', 'go'), `#!/bin/sh\n${ENDLESS}\n`, { mode: 0o755 });
    const pids = join(folder, 'go-pids');
    const given = new AbortController();
    const building = buildCli({
      keptAt: join(bin, 'temporal'),
      env: { PATH: `${join(folder, 'tools')}:/usr/bin:/bin`, PIDS: pids },
      onProgress: () => undefined,
      signal: given.signal,
    });
    building.catch(() => undefined);
    const [go = 0, child = 0] = await pidsIn(pids);
    expect([isRunning(go), isRunning(child)]).toEqual([true, true]);
    given.abort();
    await expect(building).rejects.toThrow();
    await vi.waitFor(() => expect([isRunning(go), isRunning(child)]).toEqual([false, false]), 60_000);
    expect(await readdir(bin)).toEqual([]);
  });

  test('ends a download that reports its progress, and starts no build', async () => {
    const bin = join(folder, 'fetched');
    const root = join(folder, 'packages');
    // Stands in for the SDK: downloads part of a binary, and then nothing more.
    const code = `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
      export const Runtime = { install() {} }; export class DefaultLogger {}
      export const TestWorkflowEnvironment = { async createLocal({ server }) {
        writeFileSync(server.executable.downloadDir + '/temporal.part', 'x'.repeat(3e6));
        const child = spawn('sleep', ['600']);
        writeFileSync(process.env.PIDS, process.pid + ' ' + child.pid + '\\n');
        await new Promise(() => setInterval(() => {}, 1000));
      } };`;
    for (const name of ['testing', 'worker']) {
      const at = join(root, 'node_modules', '@temporalio', name);
      await mkdir(at, { recursive: true });
      await writeFile(join(at, 'package.json'), '{"type":"module","exports":"./index.js"}');
      await writeFile(join(at, 'index.js'), code);
    }
    const pids = join(folder, 'download-pids');
    const given = new AbortController();
    const reported: FindProgress[] = [];
    const finding = findTemporalCli({
      cliPath: null,
      keptAt: join(bin, 'temporal'),
      env: { PATH: '/usr/bin:/bin', PIDS: pids },
      packageRoot: root,
      onProgress: (progress) => void reported.push(progress),
      signal: given.signal,
    });
    finding.catch(() => undefined);
    const [node = 0, child = 0] = await pidsIn(pids);
    await vi.waitFor(
      () => expect(reported).toContainEqual(expect.objectContaining({ step: 'fetching', bytes: 3e6 })),
      60_000,
    );
    given.abort(new Error('enough'));
    await expect(finding).rejects.toThrow('enough');
    await vi.waitFor(() => expect([isRunning(node), isRunning(child)]).toEqual([false, false]), 60_000);
    expect(new Set(reported.map(({ step }) => step))).toEqual(new Set(['download', 'fetching']));
    expect(await readdir(bin)).toEqual([]);
  });
});
