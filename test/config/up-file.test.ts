import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import { resolveAddresses, resolveDatabase, resolveTemporal } from '../../config/resolve.ts';
import { readLastUpFile, readUpFile, retireUpFile, type UpState, writeUpFile } from '../../config/up-file.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-up-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const state: UpState = {
  version: 1,
  owner: { pid: 1, startedAt: 'a' },
  writtenAt: '2026-01-01T00:00:00.000Z',
  temporal: {
    address: '127.0.0.1:7000',
    namespace: 'lab',
    uiUrl: 'http://127.0.0.1:8000',
    embedded: { pid: 2, startedAt: 'b', cli: '1', serverVersion: '1' },
  },
  postgres: { url: 'postgres://u:p@127.0.0.1:5000/perpetua', embedded: null },
  workers: [],
};

test('what is written is read again, and only its owner can read the file', async () => {
  writeUpFile(home, state);
  expect(await readUpFile(home)).toEqual(state);
  expect((await stat(join(home, 'up.json'))).mode & 0o777).toBe(0o600);
  expect(await readLastUpFile(home)).toBeNull();
  await retireUpFile(home);
  expect(await readUpFile(home)).toBeNull();
  expect(await readLastUpFile(home)).toEqual({ ...state, postgres: { url: '', embedded: null } });
  expect((await stat(join(home, 'last-up.json'))).mode & 0o777).toBe(0o600);
  await retireUpFile(home);
  await writeFile(join(home, 'last-up.json'), '{"vers');
  expect(await readLastUpFile(home)).toBeNull();
});

test('a file of another form is refused by its path', async () => {
  await writeFile(join(home, 'up.json'), '{"version": 2}');
  await expect(readUpFile(home)).rejects.toThrow(/up\.json as this version writes it/);
  await writeFile(join(home, 'up.json'), '{"vers');
  await expect(readUpFile(home)).rejects.toThrow(/up\.json as this version writes it/);
});

test('without environment and stack the error names the variable, the home and the command', async () => {
  const config = loadConfig({ PERPETUA_HOME: home });
  await expect(resolveAddresses(config)).rejects.toThrow(new RegExp(`TEMPORAL_ADDRESS.*${home}.*npx perpetua up`, 's'));
  await expect(resolveDatabase(config)).rejects.toMatchObject({ name: 'NotRunningError' });
});

test('the environment goes before the stack, part by part', async () => {
  writeUpFile(home, state);
  const env = { PERPETUA_HOME: home, TEMPORAL_API_KEY: 'for another server' };
  expect(await resolveAddresses(loadConfig(env))).toEqual({
    databaseUrl: state.postgres.url,
    temporal: { address: '127.0.0.1:7000', namespace: 'lab', uiUrl: 'http://127.0.0.1:8000', connection: {} },
  });
  expect(await resolveDatabase(loadConfig({ ...env, DATABASE_URL: 'postgres://other/db' }))).toBe(
    'postgres://other/db',
  );
  expect(await resolveTemporal(loadConfig({ ...env, TEMPORAL_ADDRESS: 'other:1' }))).toMatchObject({
    address: 'other:1',
    namespace: 'default',
    uiUrl: null,
    connection: { apiKey: 'for another server' },
  });
  // The line that `up` and `watch` print sets this.
  const own = { TEMPORAL_ADDRESS: '127.0.0.1:7000' };
  expect(await resolveTemporal(loadConfig({ ...env, ...own }))).toMatchObject({ uiUrl: 'http://127.0.0.1:8000' });
});

test('a stack stops even if its last addresses cannot be stored', async () => {
  writeUpFile(home, state);
  await mkdir(join(home, 'last-up.json'));
  await retireUpFile(home);
  expect(await readUpFile(home)).toBeNull();
  expect(await readLastUpFile(home)).toBeNull();
});

test('a file of another version does not matter if the environment names Temporal', async () => {
  writeUpFile(home, state);
  await writeFile(join(home, 'up.json'), '{"of": "another version"}');
  const env = { PERPETUA_HOME: home, TEMPORAL_ADDRESS: 'other:1' };
  expect(await resolveTemporal(loadConfig(env))).toMatchObject({ address: 'other:1', uiUrl: null });
});

test('the error says that a stack is starting if it has written no addresses yet', async () => {
  const config = loadConfig({ PERPETUA_HOME: home });
  await expect(resolveDatabase(config)).rejects.toThrow(/found neither\. Start one with `npx perpetua up`/);
  const { upLock } = homePaths(home);
  await mkdir(dirname(upLock), { recursive: true });
  await writeFile(upLock, '{}');
  await expect(resolveDatabase(config)).rejects.toThrow(/found neither\. A stack may be starting there\. Try again/);
});

test('two writes at once leave the second one, and no draft', async () => {
  await Promise.all(['a', 'b'].map(async (writtenAt) => writeUpFile(home, { ...state, writtenAt })));
  expect(await readUpFile(home)).toMatchObject({ writtenAt: 'b' });
  expect(await readdir(dirname(homePaths(home).upFile))).toEqual(['up.json']);
});
