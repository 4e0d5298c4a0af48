import { describe, expect, test, vi } from 'vitest';
import { checkHost } from '../../../cli/fleet/check-host.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { noGpu } from '../../support/real-gpu.ts';
import { noSshd } from '../../support/sshd.ts';
import { testHosts } from '../../infra/compute/ssh/hosts.ts';
import { LONG, sharedBox } from '../../infra/compute/ssh/shared-box.ts';

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

// A run would see the real ones of this machine.
describe.skipIf(noSshd !== undefined || noGpu === undefined)(`perpetua fleet check ${noSshd ?? ''}`, () => {
  test.each([
    ['another one', 1],
    ['none, where all are taken', 2],
  ])('of a GPU that a trial takes between its look and its run goes on with %s', async (_, taken) => {
    const { sshd, on, theirs } = await sharedBox(hosts);
    const asked: (string | null)[] = [];
    beforeRun = async (gpu) => {
      if (gpu !== null && asked.length < taken) await theirs.launch({ ...on('sleep 4899', gpu), ...LONG });
      asked.push(gpu);
    };
    const fleet = Fleet.parse({
      pools: { gpu: { slots: 'gpu' } },
      hosts: [
        {
          ...{ name: 'box', pool: 'gpu', address: '127.0.0.1', port: sshd.port, user: sshd.user },
          ...{ keyFile: sshd.key, knownHosts: [sshd.knownHosts] },
        },
      ],
    });
    const [host] = fleet.hosts;
    const pool = fleet.pools.gpu;
    if (!host || !pool) expect.fail('no host');
    const check = await checkHost(host, pool, { installation: 'fleet-check', sshAgent: null });
    expect(check).toMatchObject({ ok: true, slots: 2, runSeconds: expect.any(Number) as number });
    expect(asked).toHaveLength(taken + 1);
    expect(asked.at(-1) === null).toBe(taken === 2);
  });
});
