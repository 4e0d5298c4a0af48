import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { foldersOfPath, runEnvironment, slotUid } from '../../../../infra/compute/run-protocol/environment.ts';
import { shellQuote } from '../../../../domain/text/shell-quote.ts';
import { renderSpec } from '../../../../infra/compute/run-protocol/spec.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { LIMITS } from '../conformance/support.ts';

const user = mkdtempSync(join(tmpdir(), 'perpetua-path-'));
afterAll(() => rmSync(user, { recursive: true, force: true }));
const folder = (path: string): string => {
  mkdirSync(join(user, path), { recursive: true });
  return join(user, path);
};

it('shows the prefix of a tool in a home directory, and nothing else of the home', () => {
  const node = folder('.nvm/versions/node/v20/bin');
  const own = folder('bin');
  const local = folder('.local/bin');
  const path = [node, own, local, '/usr/bin', join(user, 'absent/bin'), 'relative'].join(':');
  expect(foldersOfPath(path).map((one) => one.replace(user, '~'))).toEqual([
    '~/.nvm/versions/node/v20',
    '~/bin',
    '~/.local/bin',
  ]);
});

it('gives each slot a user of its own in the range that no account has', () => {
  const uids = (host: string) =>
    Array.from({ length: 1024 }, (_, index) =>
      slotUid({ installation: 'installation', host }, { id: `${host}/${index}`, pool: 'p', index, gpu: null }),
    );
  expect(uids('a')).toEqual(uids('a'));
  expect(new Set(uids('a')).size).toBe(1024);
  expect(uids('a')[0]).not.toBe(uids('b')[0]);
  // The uids stay below the one that is reserved for trying out a host.
  for (const host of ['a', 'b', 'c']) for (const uid of uids(host)) expect(uid >= 61_200 && uid < 65_199).toBe(true);
});

it('quotes any text as one word of the shell, and refuses what no shell can carry', () => {
  expect(shellQuote(`a'b`)).toBe(`'a'\\''b'`);
  const run = {
    control: '/c',
    work: '/w',
    tmp: '/t',
    root: '/r',
    fence: 1,
    talk: false,
    command: 'true',
    limits: LIMITS,
    confinement: PROCESS_GROUP,
    uid: null,
    show: [],
    hide: [],
    supervisor: '/s',
  };
  for (const env of [{ 'A B': '' }, { A: '\0' }, { '': 'x' }, { '1A': 'x' }])
    expect(() => renderSpec({ ...run, env })).toThrow('environment');
  expect(() => renderSpec({ ...run, env: {}, command: 'a\0b' })).toThrow('NUL');
});

it('puts the Python of a task first, its caches in writable folders, and a thread for each core of the slot', () => {
  const slot = { id: 's', pool: 'p', index: 0, gpu: null };
  const python = { bin: '/e/venv/bin', show: [] };
  const folders = { work: '/w', tmp: '/t' };
  const environment = (more: object, env = {}) =>
    runEnvironment({ path: '/usr/bin' }, { env, slot, data: '/d', ...more }, folders);
  const { PATH, HOME, OMP_NUM_THREADS, MPLCONFIGDIR } = environment({ python });
  expect([PATH, HOME, OMP_NUM_THREADS]).toEqual(['/e/venv/bin:/usr/bin', '/t', '1']);
  expect(MPLCONFIGDIR).toMatch(/^\/t\//);
  expect(environment({ python }, { OMP_NUM_THREADS: '4' }).OMP_NUM_THREADS).toBe('4');
  expect(environment({ python, slot: { ...slot, cores: 4 } }).OMP_NUM_THREADS).toBe('4');
  for (const whole of [
    { ...slot, gpu: 'GPU-1' },
    { ...slot, cores: null },
  ])
    expect(environment({ python, slot: whole })).not.toHaveProperty('OMP_NUM_THREADS');
  expect(environment({})).toMatchObject({ PATH: '/usr/bin', HOME: '/w' });
  expect(environment({})).not.toHaveProperty('OMP_NUM_THREADS');
});

it.each([
  ['of its slot', { gpu: 'GPU-1', visibleGpus: '0' }, 'GPU-1'],
  ["of its worker's CUDA_VISIBLE_DEVICES, if its slot has no GPU", { gpu: null, visibleGpus: '0,2' }, '0,2'],
  ['none, if the variable is empty', { gpu: null, visibleGpus: '' }, ''],
  ['all, if the variable is unset', { gpu: null, visibleGpus: null }, undefined],
])('a run sees the GPUs %s', (_, { gpu, visibleGpus }, seen) => {
  const given = { env: {}, slot: { id: 's', pool: 'p', index: 0, gpu }, data: '/d' };
  const env = runEnvironment({ path: '/usr/bin', visibleGpus }, given, { work: '/w', tmp: '/t' });
  expect(env['CUDA_VISIBLE_DEVICES']).toBe(seen);
});

it.each([
  ["its worker's", { visibleGpus: '1', gpuOrder: 'PCI_BUS_ID' }, {}, 'PCI_BUS_ID'],
  ["CUDA's own if its worker has none", { visibleGpus: '1' }, { CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }, 'FASTEST_FIRST'],
  ['its own if it sees all', { gpuOrder: 'FASTEST_FIRST' }, { CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }, 'PCI_BUS_ID'],
])('a run counts GPUs in the order of its worker: %s', (_, machine, env, order) => {
  const given = { env, slot: { id: 's', pool: 'p', index: 0, gpu: null }, data: '/d' };
  const seen = runEnvironment({ path: '/usr/bin', ...machine }, given, { work: '/w', tmp: '/t' });
  expect(seen['CUDA_DEVICE_ORDER']).toBe(order);
});
