import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { closeUmask, makeOpenFolder, openFolder } from '../../infra/make-open-folder.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-open-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let before = 0;
beforeEach(() => (before = process.umask()));
afterEach(() => process.umask(before));
const modeOf = (path: string): string => (statSync(join(base, path)).mode & 0o777).toString(8);

test.each([0o077, 0o027, 0o000])(
  'under any umask (%d), each new folder has the mode, and an existing one keeps its own',
  (umask) => {
    const top = `existing-${umask}`;
    mkdirSync(join(base, top), { mode: 0o700 });
    process.umask(umask);
    makeOpenFolder(join(base, top, 'one', 'two'), 0o711);
    expect([top, `${top}/one`, `${top}/one/two`].map(modeOf)).toEqual(['700', '711', '711']);
  },
);

test('a folder that an earlier umask closed is opened, and keeps its other bits', () => {
  mkdirSync(join(base, 'closed'));
  chmodSync(join(base, 'closed'), 0o720);
  openFolder(join(base, 'closed'), 0o711);
  expect(modeOf('closed')).toBe('731');
});

test('a process that runs with umask 000 lets no other user write its files, and a closed umask stays closed', () => {
  process.umask(0);
  closeUmask();
  expect(process.umask()).toBe(0o022);
  process.umask(0o077);
  closeUmask();
  expect(process.umask()).toBe(0o077);
});
