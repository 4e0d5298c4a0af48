import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { restrictHome } from '../../infra/restrict-home.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-modes-'));
chmodSync(base, 0o755);
afterAll(() => rmSync(base, { recursive: true, force: true }));
const isRoot = process.getuid?.() === 0;
let home = '';

/** Makes a home as an earlier version left it, with the usual umask. */
beforeEach(() => {
  home = mkdtempSync(join(base, 'home-'));
  chmodSync(home, 0o755);
  mkdirSync(join(home, 'stages'), { mode: 0o700 });
  const files = [
    'stages/s1/files/x',
    'stages/s1/data/x',
    'stages/s1/listing.json',
    'temporal/temporal.db',
    'postgres/password',
    'logs/up.log',
    'runs/i/abc.0/1/run.json',
    'runs/i/abc.0/1/manifest.json',
  ];
  for (const file of [...files, 'runs/i/abc.0/1/work/secret', 'runs/i/abc.0/1/tmp/secret']) {
    mkdirSync(dirname(join(home, file)), { recursive: true, mode: 0o755 });
    writeFileSync(join(home, file), 'x', { mode: 0o644 });
  }
});

const modeOf = (path: string): string => (statSync(join(home, path)).mode & 0o777).toString(8);
/** Output of a command that runs as another user of this machine. */
const asOther = (command: string): string =>
  spawnSync('sh', ['-c', command], { uid: 61_981, gid: 61_981, cwd: '/', encoding: 'utf8' }).stdout;

test.each([
  ['.', '711'],
  ['temporal', '700'],
  ['postgres', '711'],
  ['logs', '700'],
  ['stages', '711'],
  ['stages/s1', '711'],
  ['stages/s1/files', '700'],
  ['stages/s1/data', '755'],
  ['stages/s1/listing.json', '600'],
  ['runs', '711'],
  ['runs/i', '711'],
  ['runs/i/abc.0', '711'],
  ['runs/i/abc.0/1', '711'],
  ['runs/i/abc.0/1/run.json', '600'],
  ['runs/i/abc.0/1/manifest.json', '600'],
  ['runs/i/abc.0/1/work', '700'],
  ['runs/i/abc.0/1/tmp', '700'],
])('in a home that other users could read, %s gets the mode %s', (path, mode) => {
  restrictHome(home);
  expect(modeOf(path)).toBe(mode);
});

test.runIf(isRoot)(
  'what an earlier start under umask 077 closed is opened to runs and Postgres, and no further',
  () => {
    spawnSync('chmod', ['-R', 'go-rwx', home]);
    restrictHome(home);
    restrictHome(home);
    const modes = ['.', 'stages', 'stages/s1', 'postgres', 'runs', 'runs/i', 'runs/i/abc.0', 'runs/i/abc.0/1'].map(
      modeOf,
    );
    expect(modes).toEqual(Array(8).fill('711'));
    expect(['stages/s1/data', 'stages/s1/data/x'].map(modeOf)).toEqual(['755', '644']);
    expect(['stages/s1/files', 'runs/i/abc.0/1/work', 'postgres/password'].map(modeOf)).toEqual(['700', '700', '600']);
  },
);

test.skipIf(isRoot)('the home of an ordinary user that was closed to all others stays closed', () => {
  chmodSync(home, 0o700);
  restrictHome(home);
  expect(modeOf('.')).toBe('700');
});

test('what a start under umask 000 made is no longer writable by other users', () => {
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/temporal'), 'x');
  writeFileSync(join(home, 'host'), 'x');
  for (const path of ['bin', 'host']) chmodSync(join(home, path), 0o777);
  restrictHome(home);
  expect(['bin', 'host'].map(modeOf)).toEqual(['755', '755']);
});

test('the target of a link is left as it is, and a missing folder is no error', () => {
  rmSync(join(home, 'logs'), { recursive: true });
  const elsewhere = mkdtempSync(join(base, 'elsewhere-'));
  chmodSync(elsewhere, 0o755);
  symlinkSync(elsewhere, join(home, 'logs'));
  restrictHome(home);
  expect((statSync(elsewhere).mode & 0o777).toString(8)).toBe('755');
});

test.skipIf(!isRoot)('another user sees no name or file in a home, and a run of that user its own directory', () => {
  const look = `cat '${home}/temporal/temporal.db' '${home}'/runs/i/abc.0/1/*/secret; ls '${home}' '${home}/runs/i'`;
  // The control: before the restriction, the other user sees all of it.
  expect(asOther(look)).toMatch(/^xxx[^]*temporal[^]*abc\.0/);
  restrictHome(home);
  expect(asOther(look)).toBe('');
  spawnSync('chown', ['-R', '61981', join(home, 'runs/i/abc.0/1/work')]);
  expect(asOther(`cat '${home}/runs/i/abc.0/1/work/secret'`)).toBe('x');
});
