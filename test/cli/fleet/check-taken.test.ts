import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkHost, type HostCheck } from '../../../cli/fleet/check-host.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { noGpu } from '../../support/machine/real-gpu.ts';
import { noSshd, type Sshd } from '../../support/machine/sshd.ts';
import { followToEnd } from '../../infra/compute/conformance/support.ts';
import { testHosts } from '../../infra/compute/ssh/support/hosts.ts';
import { LONG, sharedBox } from '../../infra/compute/ssh/support/shared-box.ts';

let beforeRun: (gpu: string | null) => Promise<void> = () => Promise.resolve();
vi.mock(import('../../../infra/compute/try-run.ts'), async (actual) => {
  const { tryRun } = await actual();
  return {
    tryRun: async (compute, run, gpu = null) => {
      await beforeRun(gpu);
      return tryRun(compute, run, gpu);
    },
  };
});
const hosts = testHosts();

function checked(sshd: Sshd): Promise<HostCheck> {
  const fleet = Fleet.parse({
    pools: { gpu: { slots: 'gpu' } },
    hosts: [
      {
        name: 'box',
        pool: 'gpu',
        address: '127.0.0.1',
        port: sshd.port,
        user: sshd.user,
        keyFile: sshd.key,
        knownHosts: [sshd.knownHosts],
      },
    ],
  });
  const [host] = fleet.hosts;
  const pool = fleet.pools.gpu;
  if (!host || !pool) expect.fail('no host');
  return checkHost(host, pool, { installation: 'fleet-check', sshAgent: null });
}

// On a machine with GPUs, a run would see the real ones.
describe.skipIf(noSshd !== undefined || noGpu === undefined)(`perpetua fleet check ${noSshd ?? ''}`, () => {
  test.each([
    ['another GPU', 1],
    ['no GPU if all are taken', 2],
  ])('of a GPU that a trial takes between probe and run continues with %s', async (_, taken) => {
    const { sshd, on, theirs } = await sharedBox(hosts);
    const asked: (string | null)[] = [];
    beforeRun = async (gpu) => {
      if (gpu !== null && asked.length < taken) await theirs.launch({ ...on('sleep 4899', gpu), ...LONG });
      asked.push(gpu);
    };
    const check = await checked(sshd);
    expect(check).toMatchObject({ ok: true, slots: 2, runSeconds: expect.any(Number) as number });
    expect(asked).toHaveLength(taken + 1);
    expect(asked.at(-1) === null).toBe(taken === 2);
    const given = check.problems.filter((problem) => problem.startsWith('its small run got no GPU: host box: '));
    expect(given).toHaveLength(taken === 2 ? 1 : 0);
  });

  test('of GPUs that cannot be locked says why, and that the host is unusable', async () => {
    const { sshd, gpus, on, theirs } = await sharedBox(hosts);
    beforeRun = () => Promise.resolve();
    const run = on('true', gpus[0]);
    await theirs.launch(run);
    await followToEnd(theirs, run);
    for (const gpu of gpus) {
      const folder = join('/tmp/.perpetua-gpus', String(process.getuid?.()), gpu);
      rmSync(folder, { recursive: true, force: true });
      writeFileSync(folder, '');
      onTestFinished(() => rmSync(folder));
    }
    const { ok, problems } = await checked(sshd);
    expect(ok).toBe(false);
    expect(problems[0]).toMatch(/GPU locks: expected to write .*another user made that path/);
  });
});
