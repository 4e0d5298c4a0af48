import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeDanglingLinks, removeShortLink } from '../../../../../infra/compute/local/attempt/short-link.ts';
import { newShortTmp } from '../../../../../infra/compute/run-protocol/short-tmp.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-short-link-'));
afterAll(() => rmSync(home, { recursive: true }));

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
/** Removes a link many times at once, so that each call but one finds it removed by another. */
const many = (remove: () => Promise<void>): Promise<void[]> => Promise.all(Array.from({ length: 40 }, () => remove()));

test('a link that another sweep or the supervisor removes first fails no removal', async () => {
  const [link, attempt] = [newShortTmp(), join(home, 'attempt')];
  const control = join(attempt, 'ctl');
  mkdirSync(control, { recursive: true });
  writeFileSync(join(control, 'spec'), `short='${link}'\n`);
  symlinkSync(join(attempt, 'tmp'), link);
  await many(() => removeShortLink(control));
  expect(exists(link)).toBe(false);
});

test('a dangling link that another sweep removes first fails no sweep', async () => {
  const [link, runs] = [newShortTmp(), join(home, 'runs')];
  symlinkSync(join(runs, 'gone', 'tmp'), link);
  await many(() => removeDanglingLinks(runs));
  expect(exists(link)).toBe(false);
});
