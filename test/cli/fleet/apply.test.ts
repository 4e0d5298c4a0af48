import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installations, runs } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { computeOfHost } from '../../../infra/compute/compute-of-host.ts';
import type { SshCompute } from '../../../infra/compute/ssh.ts';
import { bytes, specOf } from '../../infra/compute/conformance/support.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { removeInUse } from '../../support/process/remove-in-use.ts';
import { NOWHERE, run, runOn } from '../support/cli.ts';
import { sharedServer, type Lineage, type Server } from '../support/database.ts';
import { insertStory } from '../support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

/** Two sshds that see the same scratch folder stand for two addresses of one machine. */
describe.skipIf(noSshd !== undefined)(`perpetua fleet apply of a host that moves ${noSshd ?? ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-apply-'));
  const scratch = join(folder, 'scratch');
  const placed = specOf('sleep 4850', { jobId: 'toy/6', sandbox: 'none' });
  let server: Server;
  let lineage: Lineage;
  let [before, after]: Sshd[] = [];
  let compute: SshCompute;

  const fleetAt = (sshd: Sshd | undefined, port = sshd?.port) => ({
    pools: { cpu: { slots: 'cpu' } },
    hosts: [
      {
        name: 'box',
        pool: 'cpu',
        address: '127.0.0.1',
        port,
        user: sshd?.user,
        scratch,
        keyFile: sshd?.key,
        knownHosts: [sshd?.knownHosts],
      },
    ],
  });
  const apply = (fleet: object) => {
    const file = join(folder, 'fleet.yaml');
    writeFileSync(file, JSON.stringify(fleet));
    return run(['fleet', 'apply', '--file', file, '--json'], {
      env: { DATABASE_URL: lineage.url, TEMPORAL_ADDRESS: NOWHERE },
    });
  };

  beforeAll(async () => {
    server = sharedServer();
    lineage = await server.open();
    await insertStory(lineage.db, 'toy');
    [before, after] = [await startSshd(), await startSshd()];
    expect((await apply(fleetAt(before))).json()).toMatchObject([{ added: ['box'] }]);
    const [installation] = await lineage.db.select().from(installations);
    const [spec] = Fleet.parse(fleetAt(before)).hosts;
    if (!spec || !installation) throw new Error('Expected a host and an installation');
    compute = computeOfHost(spec, { installation: installation.id, sshAgent: null });
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    await compute.launch(placed);
    const { jobId, placement, fence } = placed;
    await lineage.db.insert(runs).values({ jobId, placement, host: 'box', slotId: 'box/cpu/0', fence });
  });
  afterAll(async () => {
    await compute.kill(placed, placed.fence);
    compute.close();
    await Promise.all([before?.destroy(), after?.destroy()]);
    await lineage.close();
    await removeInUse(folder);
  });

  test('is refused if the host at the new address cannot be probed, with the reason', async () => {
    // The host key at this port is unknown.
    const { code, stderr } = await apply(fleetAt(before, after?.port));
    expect(code).toBe(2);
    expect(stderr).toMatch(/box at its new address: .*key/);
    expect(stderr).toContain('host box: expected no run on it while its port changes;');
    expect(stderr).toContain('The machine at the new address could not be checked.');
  });

  test('is accepted if the machine with its runs answers at the new address, and refused otherwise', async () => {
    expect((await apply(fleetAt(after))).json()).toMatchObject([{ changed: ['box'] }]);
    // The file makes the run one of another machine that shares the folder.
    const machine = readdirSync(scratch, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith('/machine'),
    );
    writeFileSync(join(scratch, machine ?? ''), 'another machine\n');
    const { code, stderr } = await apply(fleetAt(before));
    expect(code).toBe(2);
    expect(stderr).toContain('toy/6');
  });
});

describe('a host that is removed', () => {
  const bench = useDatabase();

  test('leaves files on its machine, which apply reports with the guide that says how to remove them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perpetua-removed-'));
    const file = join(folder, 'fleet.yaml');
    const apply = async (...names: string[]) => {
      const hosts = names.map((name) => ({ name, pool: 'p' }));
      writeFileSync(file, JSON.stringify({ pools: { p: { slots: 'cpu' } }, hosts }));
      return runOn(bench.url, ['fleet', 'apply', '--file', file]);
    };
    try {
      expect((await apply('a', 'b', 'c')).stderr).not.toContain('scratch folder');
      const without = await apply('c');
      expect(without).toMatchObject({ code: 0, stdout: 'removed: a, b\nunchanged: c\n' });
      expect(without.stderr).toContain('! the scratch folder stays on a, b');
      expect(without.stderr).toContain('docs/guides/fleet/taking-a-host-out.md');
      expect((await apply('c')).stderr).not.toContain('scratch folder');
      expect((await apply()).stderr).toContain(`${file} names no host, so its pools have no slots`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
