import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dashboardFiles } from '../../../config/dashboard/files.ts';
import { endListening, originOf, readListening, writeListening } from '../../../config/dashboard/listening.ts';
import { ensureSecret, readSecret } from '../../../config/dashboard/secret.ts';
import { readSettings, writeSettings } from '../../../config/dashboard/settings.ts';
import { homePaths } from '../../../config/paths.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-secret-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const SETTINGS = {
  host: '127.0.0.1',
  port: 4400,
  allowHosts: [],
  readUrl: 'postgres://u:p@h/d',
  steer: false,
  temporal: null,
};
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('the secret of a home stays until its file is removed, and is 128 and 256 bits', () => {
  const first = ensureSecret(home);
  expect(first.path).toMatch(/^[0-9a-f]{32}$/);
  expect(first.token).toMatch(/^[0-9a-f]{64}$/);
  expect(ensureSecret(home)).toEqual(first);
  return rm(dashboardFiles(home).secret).then(() => {
    const second = ensureSecret(home);
    expect(second.path).not.toBe(first.path);
    expect(second.token).not.toBe(first.token);
    expect(readSecret(home)).toEqual(second);
  });
});

test('a file that is no secret is named, and not replaced', async () => {
  ensureSecret(home);
  await writeFile(dashboardFiles(home).secret, '{"path":"x"}');
  expect(() => ensureSecret(home)).toThrow(/Expected path and token in .*secret\.json.*Remove the file/);
});

test('all of its files are for their owner alone, whatever the umask, and the folder, too', async () => {
  const { dashboard } = homePaths(home);
  await mkdir(dashboard, { mode: 0o777 });
  await chmod(dashboard, 0o777);
  const umask = process.umask(0);
  try {
    const secret = ensureSecret(home);
    writeSettings(home, SETTINGS);
    writeSettings(home, { ...SETTINGS, port: 4401 });
    writeListening(home, { pid: 7, host: '127.0.0.1', port: 4401 }, secret);
  } finally {
    process.umask(umask);
  }
  expect(await modeOf(dashboard)).toBe('700');
  const names = (await readdir(dashboard)).sort();
  expect(names).toEqual(['listening.json', 'open.html', 'secret.json', 'settings.json']);
  for (const name of names) expect([name, await modeOf(join(dashboard, name))]).toEqual([name, '600']);
  expect(readSettings(home).port).toBe(4401);
});

test('an end deletes only the record of the same process', () => {
  const secret = ensureSecret(home);
  writeListening(home, { pid: 7, host: '127.0.0.1', port: 4400 }, secret);
  endListening(home, 8);
  expect(readListening(home)?.pid).toBe(7);
  endListening(home, 7);
  expect(readListening(home)).toBeUndefined();
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4400'],
  ['0.0.0.0', 'http://127.0.0.1:4400'],
  ['::', 'http://127.0.0.1:4400'],
  ['::1', 'http://[::1]:4400'],
  ['10.0.0.5', 'http://10.0.0.5:4400'],
])('a dashboard that listens on %s is opened at %s', (host, origin) => {
  expect(originOf({ host, port: 4400 })).toBe(origin);
});
