import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { join } from 'node:path';
import type { StackEvent } from '../../../../cli/up/events.ts';
import { tendBallast, type Tender } from '../../../../cli/up/stack/tend-ballast.ts';
import { homePaths } from '../../../../config/paths.ts';

const SIZE_MB = 2;
const PLENTY_MB = 5000;

let home: string;
let path: string;
let free: number;
const events: StackEvent[] = [];
const tenders: Tender[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-ballast-'));
  path = homePaths(home).ballast;
  free = PLENTY_MB;
  events.length = 0;
});
afterEach(async () => {
  for (const tender of tenders.splice(0)) tender.stop();
  await rm(home, { recursive: true, force: true });
});
function tend(): Tender {
  const means = { freeMb: () => Promise.resolve(free), sizeMb: SIZE_MB, lookMs: 5 };
  const tender = tendBallast(home, (event) => events.push(event), means);
  tenders.push(tender);
  return tender;
}

test('a start with plenty of room takes some of it, in real blocks, and one without takes none', async () => {
  free = 4000;
  // Left by a maker that died.
  writeFileSync(`${path}.part`, 'x');
  await tend().keep();
  expect([path, `${path}.part`].filter(existsSync)).toEqual([]);
  free = PLENTY_MB;
  await tend().keep();
  expect(statSync(path).size).toBe(SIZE_MB * 2 ** 20);
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(SIZE_MB * 2 ** 20);
  expect(existsSync(`${path}.part`)).toBe(false);
  expect(events).toEqual([]);
});

test('it is given up once where room is nearly out, which is said, and made again by the next start', async () => {
  await tend().keep();
  free = 10;
  await vi.waitFor(() => expect(existsSync(path)).toBe(false), 30_000);
  free = PLENTY_MB;
  await vi.waitFor(() => expect(events).toHaveLength(1), 30_000);
  expect(events[0]).toMatchObject({ type: 'warning', part: 'stack' });
  expect(events[0]?.text).toMatch(/^the disk is full: .*ballast \(2 MiB\) was given up, .*npx perpetua clean/);
  await tend().keep();
  expect(existsSync(path)).toBe(true);
});

test('a start on a disk that is full gives it up before anything else, and one without it says nothing', async () => {
  writeFileSync(path, 'x');
  free = 10;
  await tend().relieve();
  expect(existsSync(path)).toBe(false);
  await tend().relieve();
  expect(events).toHaveLength(1);
});
