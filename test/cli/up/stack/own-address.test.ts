import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ignoreOwnTemporalAddress } from '../../../../cli/up/stack.ts';
import { loadConfig } from '../../../../config/load.ts';
import { retireUpFile, type UpState, writeUpFile } from '../../../../config/up-file.ts';
import { freePort } from '../../../../infra/process/free-port.ts';
import { identify } from '../../../../infra/process/identity.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-own-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const stateAt = (address: string, embedded: UpState['temporal']['embedded']): UpState => ({
  version: 1,
  owner: { pid: 1, startedAt: 'a' },
  writtenAt: '2026-01-01T00:00:00.000Z',
  temporal: { address, namespace: 'default', uiUrl: null, embedded },
  postgres: { url: 'postgres://u:p@127.0.0.1:5000/perpetua', embedded: null },
  workers: [],
});
const server = { pid: 2, startedAt: 'b', cli: '1', serverVersion: '1' };
const addressUsed = async (address: string, more: Record<string, string> = {}) => {
  const events: string[] = [];
  const config = loadConfig({ PERPETUA_HOME: home, TEMPORAL_ADDRESS: address, ...more });
  const { temporal } = await ignoreOwnTemporalAddress(config, ({ text }) => void events.push(text));
  expect(events).toHaveLength(temporal.address === null ? 1 : 0);
  return temporal.address;
};

test('TEMPORAL_ADDRESS is ignored if it names the server that this home runs, or ran last', async () => {
  const address = `127.0.0.1:${await freePort(null)}`;
  expect(await addressUsed(address)).toBe(address);
  writeUpFile(home, stateAt(address, server));
  expect(await addressUsed(address)).toBeNull();
  await retireUpFile(home);
  expect(await addressUsed(address)).toBeNull();
  expect(await addressUsed('127.0.0.1:1')).toBe('127.0.0.1:1');
  expect(await addressUsed(address, { TEMPORAL_NAMESPACE: 'prod' })).toBe(address);
  expect(await addressUsed(address, { TEMPORAL_API_KEY: 'k' })).toBe(address);
});

test('a server of this home that outlived its parent is adopted', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = `127.0.0.1:${(other.address() as { port: number }).port}`;
  const { startedAt = '' } = identify(process.pid) ?? {};
  writeUpFile(home, stateAt(address, { ...server, pid: process.pid, startedAt }));
  expect(await addressUsed(address)).toBeNull();
  await new Promise((resolve) => other.close(resolve));
});

test.each(['stopped', 'killed'])(
  "a foreign server is used if it listens at the port of this home's %s server",
  async (how) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = `127.0.0.1:${(other.address() as { port: number }).port}`;
    writeUpFile(home, stateAt(address, server));
    if (how === 'stopped') await retireUpFile(home);
    expect(await addressUsed(address)).toBe(address);
    await new Promise((resolve) => other.close(resolve));
  },
);

test('a server that an earlier start got by address, and did not start, still counts as foreign', async () => {
  const address = `127.0.0.1:${await freePort(null)}`;
  writeUpFile(home, stateAt(address, null));
  expect(await addressUsed(address)).toBe(address);
});
