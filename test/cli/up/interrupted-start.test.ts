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

test('a start that is interrupted while it still gets a Temporal server ends, and leaves nothing in the way of the next', async () => {
  // In place of the SDK's download: one that comes to no end.
  const packageRoot = join(home, 'packages');
  const endless = 'await new Promise(() => setInterval(() => {}, 1000));';
  const sdk = join(packageRoot, 'node_modules', '@temporalio', 'testing');
  await mkdir(sdk, { recursive: true });
  await writeFile(join(sdk, 'package.json'), '{"type":"module","exports":"./index.js"}');
  await writeFile(join(sdk, 'index.js'), endless);
  // Without `temporal` on the PATH, wherever the tests run.
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !existsSync(join(folder, 'temporal')));
  const config = { ...loadConfig({ PATH: folders.join(':'), PERPETUA_HOME: home }), packageRoot };
  const paths = homePaths(config.home);
  const given = new AbortController();
  const events: StackEvent[] = [];
  const starting = startStack(config, { onEvent: (event) => events.push(event), signal: given.signal, workers: 0 });
  starting.catch(() => undefined);
  const said = () => events.map(({ text }) => text).join('\n');
  await vi.waitFor(() => {
    expect(said()).toMatch(/Postgres \S+ runs/);
    expect(said()).toMatch(/downloading the server: 0 MB so far/);
  }, 100_000);
  given.abort();
  await expect(starting).rejects.toThrow();
  expect(await readdir(dirname(paths.temporalCli))).toEqual([]);
  expect(existsSync(paths.upLock)).toBe(false);
});
