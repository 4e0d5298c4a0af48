import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hostName } from '../../workers/host-name.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'perpetua-host-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('workers that start at once agree on the name of their machine, and leave nothing else', async () => {
  const names = await Promise.all(Array.from({ length: 20 }, () => hostName(home)));
  expect(new Set(names).size).toBe(1);
  expect(readFileSync(join(home, 'host'), 'utf8').trim()).toBe(names[0]);
  expect(readdirSync(home)).toEqual(['host']);
});

test('a name that was lost is asked for, since runs under way are found by it', async () => {
  writeFileSync(join(home, 'host'), '');
  await expect(hostName(home)).rejects.toThrow("write the one there that this machine's runs have");
});
