import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { StackEvent } from '../../../cli/up/events.ts';
import { startStack } from '../../../cli/up/stack.ts';
import { loadConfig } from '../../../config/load.ts';
import { homePaths } from '../../../config/paths.ts';
import { throwawayHome } from '../../support/servers.ts';

let home: string;
beforeAll(async () => void (home = await throwawayHome()));
afterAll(() => rm(home, { recursive: true, force: true }));

test('a start that is interrupted while it downloads Temporal ends, and does not block the next', async () => {
  // Stands in for the SDK, whose download never ends.
  const packageRoot = join(home, 'packages');
  const endless = 'await new Promise(() => setInterval(() => {}, 1000));';
  const sdk = join(packageRoot, 'node_modules', '@temporalio', 'testing');
  await mkdir(sdk, { recursive: true });
  await writeFile(join(sdk, 'package.json'), '{"type":"module","exports":"./index.js"}');
  await writeFile(join(sdk, 'index.js'), endless);
  // Removes folders with `temporal` from the PATH.
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !existsSync(join(folder, 'temporal')));
  const config = { ...loadConfig({ PATH: folders.join(':'), PERPETUA_HOME: home }), packageRoot };
  const paths = homePaths(config.home);
  const interrupt = new AbortController();
  const events: StackEvent[] = [];
  const starting = startStack(config, { onEvent: (event) => events.push(event), signal: interrupt.signal, workers: 0 });
  starting.catch(() => undefined);
  const output = () => events.map(({ text }) => text).join('\n');
  await vi.waitFor(() => {
    expect(output()).toMatch(/Postgres \S+ runs/);
    expect(output()).toMatch(/downloading the server: 0 MB so far/);
  }, 100_000);
  interrupt.abort();
  await expect(starting).rejects.toThrow();
  expect(await readdir(dirname(paths.temporalCli))).toEqual([]);
  expect(existsSync(paths.upLock)).toBe(false);
});
