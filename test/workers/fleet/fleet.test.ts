import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { KnownHost } from '../../../db/host/fleet.ts';
import type { Store } from '../../../db/store.ts';
import type { SshCompute } from '../../../infra/compute/ssh.ts';
import { createFleetHosts } from '../../../workers/fleet/hosts.ts';
import { SYSTEM_PATH } from '../../../infra/system-path.ts';
import { driverOf } from '../../../workers/fleet/own-gpus.ts';

describe('the hosts of a fleet', () => {
  /** A fleet of one host, whose address a test changes; each connection counts how often it was closed. */
  function fleetOfOne() {
    const made: { idle: number; closed: number }[] = [];
    let address = 'a';
    const hosts = createFleetHosts({
      store: {
        host: { findHosts: () => Promise.resolve([{ name: 'one', spec: { address } } as unknown as KnownHost]) },
      } as unknown as Store,
      machineName: 'here',
      hidden: [],
      create: () => {
        const at = { idle: 0, closed: 0 };
        made.push(at);
        return { idleSeconds: () => at.idle, close: () => (at.closed += 1) } as unknown as SshCompute;
      },
    });
    const change = async (changed: string): Promise<void> => {
      address = changed;
      await hosts.refresh();
    };
    const closed = (): number[] => made.map((one) => one.closed);
    return { hosts, made, change, closed };
  }

  test('the connection of a changed host is closed after it was idle for long, and only once', async () => {
    const { hosts, made, change, closed } = fleetOfOne();
    await change('a');
    await change('b');
    await hosts.refresh();
    expect(closed()).toEqual([0, 0]);
    // The current connection stays, although it was idle for as long.
    for (const one of made) one.idle = 3600;
    await hosts.refresh();
    expect(closed()).toEqual([1, 0]);
    await hosts.refresh();
    hosts.close();
    expect(closed()).toEqual([1, 1]);
  });

  test('the end of the fleet closes the connections of changed hosts, too', async () => {
    const { hosts, change, closed } = fleetOfOne();
    await change('a');
    await change('b');
    hosts.close();
    expect(closed()).toEqual([1, 1]);
  });

  test('a run gets the memory of its slot, else of its host; a pool has that of its best host', async () => {
    const host = (name: string, memoryMb: number | null, more: object = {}) =>
      ({
        name,
        pool: 'p',
        poolSpec: {},
        spec: {},
        state: 'serving',
        facts: memoryMb && { memoryMb },
        ...more,
      }) as KnownHost;
    let rows = [host('new', null), host('large', 9000), host('small', 4000)];
    const hosts = createFleetHosts({
      store: { host: { findHosts: () => Promise.resolve(rows) } } as unknown as Store,
      machineName: 'here',
      hidden: [],
      create: () => ({ close: () => undefined }) as unknown as SshCompute,
    });
    await hosts.refresh();
    expect(['new', 'large', 'small', 'other'].map(hosts.memoryOf)).toEqual([null, 9900, 4400, null]);
    expect(hosts.memoryIn('p')).toBe(null);
    rows = [host('new', 2000), host('large', 9000, { state: 'removed' }), host('small', 4000)];
    await hosts.refresh();
    expect(hosts.memoryIn('p')).toBe(4400);
    expect(hosts.memoryIn('other')).toBe(null);
    rows = rows.map((row) => ({ ...row, poolSpec: { ...row.poolSpec, memoryMb: 500 } }));
    await hosts.refresh();
    expect([hosts.memoryOf('small'), hosts.memoryIn('p')]).toEqual([500, 500]);
  });

  test('the hardware of a run on a host has the cores of its slot, and the number of slots', async () => {
    const facts = { cpu: 'EPYC', cores: 9, memoryMb: 4096, gpus: [] };
    const host = (name: string, poolSpec: object) =>
      ({ name, pool: name, spec: { name }, poolSpec, facts }) as unknown as KnownHost;
    const rows = [
      host('ones', { slots: 'cpu' }),
      host('fours', { slots: 'cpu', cores: 4 }),
      host('all', { slots: 'host' }),
    ];
    const hosts = createFleetHosts({
      store: { host: { findHosts: () => Promise.resolve(rows) } } as unknown as Store,
      machineName: 'here',
      hidden: [],
      create: () => ({ close: () => undefined }) as unknown as SshCompute,
    });
    await hosts.refresh();
    expect(['ones', 'fours', 'all', 'unknown'].map((name) => hosts.hardwareOf({ host: name, gpu: null }))).toEqual([
      'EPYC, 9 cores, one of 8 slots of 1',
      'EPYC, 9 cores, one of 2 slots of 4',
      'EPYC, 9 cores',
      null,
    ]);
  });
});

describe('the driver of own GPUs', () => {
  const USUAL = `${dirname(process.execPath)}:${SYSTEM_PATH}`;

  test.each([
    ['/usr/bin/nvidia-smi', USUAL],
    ['/usr/lib/wsl/lib/nvidia-smi', `${USUAL}:/usr/lib/wsl/lib`],
    ['/opt/bin/nvidia-smi', `${USUAL}:/opt/bin`],
    ['/home/ada/bin/nvidia-smi', USUAL],
  ])('runs find the nvidia-smi at %s, if a sandbox shows its folder', (program, path) => {
    expect(driverOf(program, {})).toEqual({ path, env: {} });
  });

  test('runs get the folders of LD_LIBRARY_PATH that hold the driver, if a sandbox shows them', () => {
    const has = ['/usr/local/nvidia/lib64', '/home/ada/lib'].map((folder) => `${folder}/libcuda.so.1`);
    const env = { LD_LIBRARY_PATH: '/opt/conda/lib:/usr/local/nvidia/lib64:/home/ada/lib:' };
    expect(driverOf('/usr/bin/nvidia-smi', env, (path) => has.includes(path)).env).toEqual({
      LD_LIBRARY_PATH: '/usr/local/nvidia/lib64',
    });
  });
});
