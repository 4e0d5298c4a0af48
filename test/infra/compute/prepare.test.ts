import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes, never } from './conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-prepare-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

it.each([
  ['killed before it said who it is', undefined],
  ['of another boot', '1 1 00000000-0000-0000-0000-000000000000\n'],
  ['whose number another process has', `${process.ppid} 1 ${BOOT}\n`],
])('sets up once when several find the lock of a process %s', async (_, owner) => {
  const hash = `stage${owner?.length ?? 0}`;
  const hosts = [1, 2, 3].map(() => createLocalCompute({ home, installation: 'prepare-tests' }));
  for (const host of hosts) await host.stage(hash, [{ path: 'x', content: bytes('') }]);
  const lock = join(home, 'stages', hash, 'setup-lock');
  mkdirSync(lock);
  if (owner !== undefined) writeFileSync(join(lock, 'owner'), owner);
  const lines: string[] = [];
  const options = { onOutput: (line: string) => lines.push(line), signal: never };
  await Promise.all(hosts.map((host) => host.prepare(hash, ['echo begun; sleep 0.2; echo done'], options)));
  expect(lines).toEqual(['begun', 'done']);
});
