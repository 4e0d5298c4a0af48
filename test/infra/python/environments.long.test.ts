import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { makeNetwork, noNetworks } from '../../support/machine/network.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import { lockedBy, realEnvironments, SIX, findBuildablePython } from '../../support/python.ts';
import { testHosts } from '../compute/ssh/support/hosts.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-far-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const hosts = testHosts();
const { python, lacks } = await findBuildablePython(createLocalCompute({ home, installation: 'python-tests' }));
const why = lacks ?? noSshd ?? noNetworks;

// uv is copied over the connection and then retries for half a minute.
test.skipIf(why !== undefined)(
  `a host without a way to an index refuses an environment with that reason ${why ?? ''}`,
  async () => {
    const network = makeNetwork();
    onTestFinished(() => network.destroy());
    const host = hosts.connect(await hosts.start({ network, as: 'perpetua-far' }));
    const [environments, locked] = [realEnvironments(), lockedBy(SIX, python)];
    const watching = { onOutput: () => undefined, signal: AbortSignal.timeout(300_000) };
    const refused = environments.build(host, locked, watching);
    await expect(refused).rejects.toThrow(
      /^environment.lock: expected box to reach a package index, reached none \(.*six.*\); /,
    );
    await expect(refused).rejects.toThrow(/\); open its network, or set a mirror in its pip.conf$/);
    expect(await host.isPrepared(await environments.nameOn(host, locked))).toBe(false);
  },
);
