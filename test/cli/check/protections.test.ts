import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HostProtections, readProtections } from '../../../cli/check/protections.ts';
import { renderCheckReport } from '../../../cli/render/check.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import type { RunEnd } from '../../../infra/compute.ts';
import type { LoadedTask } from '../../../tasks/load.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { NOWHERE } from '../support/cli.ts';
import { sharedServer, type Lineage, type Server } from '../support/database.ts';
import { TASK, trialRow } from '../support/lineage.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-protections-'));
let server: Server;
let lineage: Lineage;
beforeAll(async () => {
  writeFileSync(join(home, 'host'), 'mine\n');
  server = sharedServer();
  lineage = await server.open();
});
afterAll(async () => {
  await lineage.close();
  rmSync(home, { recursive: true });
});

const read = (
  host: string | null,
  end: Pick<RunEnd, 'containment' | 'sandboxed' | 'groups'> | null = null,
): Promise<HostProtections> =>
  readProtections(
    {
      stdout: { write: () => true },
      stderr: { write: () => true },
      env: { DATABASE_URL: lineage.url, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: home },
    },
    { task: TASK, run: { host, end } },
  );
/** Text of the protections in the report of a check. */
const shown = (protections: HostProtections): string => {
  const trial = trialRow('toy', 1, { status: 'completed', value: 1 }) as never;
  return renderCheckReport({ loaded: { task: TASK } as LoadedTask, view: { trial, runs: [] }, protections }).join('\n');
};

test('the protections of a run on this machine are those of this machine', async () => {
  const own = await read('mine');
  expect(own).toMatchObject({ machine: 'this machine', host: 'mine', unknownReason: null });
  expect(own.protections?.containment).toEqual(expect.any(String));
  expect(shown(own)).toMatch(/protections +of this machine:\n +exposure +A run can .*\n +containment +\S/);
});

test('the protections are those of the run if its worker has more or fewer rights than the caller', async () => {
  const own = await read('mine', { containment: 'process-group', sandboxed: false });
  expect(own.protections).toMatchObject({ containment: 'process-group', sandboxed: false, network: false, uid: false });
  expect(shown(own)).toMatch(/exposure +A run can do all that .*\n +containment +process-group/);
  const sealed = await read('mine', { containment: 'pid-namespace', sandboxed: true });
  expect(sealed.protections).toMatchObject({ containment: 'pid-namespace', sandboxed: true, network: true });
});

test('the limits are those that the run had: by the kernel, or measured', async () => {
  const level = { containment: 'pid-namespace', sandboxed: true } as const;
  expect(shown(await read('mine', { ...level, groups: ['memory', 'processes', 'cpu'] }))).toMatch(
    /\n +limits +the kernel limits memory and processes by a control group\n?/,
  );
  expect(shown(await read('mine', { ...level, groups: [] }))).toMatch(/\n +limits +the supervisor measures memory/);
});

test('the protections of a run on another machine are unknown, not those of this machine', async () => {
  const other = await read('elsewhere');
  expect(other).toMatchObject({ machine: 'the host elsewhere', protections: null });
  expect(shown(other)).toMatch(/protections +of the host elsewhere: the host is not in the fleet/);
  expect(shown(other)).not.toContain('containment');
});

describe.skipIf(noSshd !== undefined)(`the protections of a run on a host of a fleet ${noSshd ?? ''}`, () => {
  let box: Sshd;
  beforeAll(async () => {
    box = await startSshd();
    const { port, user, key, knownHosts } = box;
    const at = { pool: 'cpu', address: '127.0.0.1', user, keyFile: key, knownHosts: [knownHosts] };
    const hosts = [{ ...at, name: 'box', port }];
    await applyFleet(lineage.db, Fleet.parse({ pools: { cpu: { slots: 'cpu' } }, hosts }));
  });
  afterAll(() => box.destroy());

  test('are those that the host reports', async () => {
    const theirs = await read('box');
    expect(theirs).toMatchObject({ machine: 'the host box of the pool cpu', host: 'box', unknownReason: null });
    expect(theirs.protections?.containment).toEqual(expect.any(String));
    expect(shown(theirs)).toMatch(
      /protections +of the host box of the pool cpu:\n +exposure +A run can .*\n +containment +\S/,
    );
  });
});
