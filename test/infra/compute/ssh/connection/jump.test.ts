import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { connectThrough } from '../../../../../infra/compute/ssh/connection/connect.ts';
import { resolveTargets } from '../../../../../infra/compute/ssh/connection/target.ts';
import { noSshd } from '../../../../support/machine/sshd.ts';
import { addressOf, testHosts } from '../support/hosts.ts';

const { start } = testHosts();

describe.skipIf(noSshd !== undefined)(`a connection ${noSshd ?? ''}`, () => {
  it('through a jump host that does not answer the request to forward times out', async () => {
    const box = await start();
    const gate = new ssh2.Server({ hostKeys: [readFileSync(join(box.folder, 'host'))] }, (client) =>
      client
        .on('error', () => undefined)
        .on('authentication', (login) => login.accept())
        .on('tcpip', () => undefined),
    ).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const { port } = gate.address() as AddressInfo;
    const [last] = await resolveTargets('box', { ...addressOf(box), fingerprint: box.fingerprint });
    const targets = [{ ...last!, port }, last!];
    await expect(connectThrough('box', { targets, aliveMs: 1000, readyMs: 5000 })).rejects.toMatchObject({
      name: 'HostUnreachableError',
      reason: 'timeout',
      message: expect.stringContaining('the jump host cannot reach') as string,
    });
    gate.close();
  });

  it('through a jump host that forbids forwarding fails with HostConfigError', async () => {
    const box = await start();
    const gate = await start({ config: ['AllowTcpForwarding no'] });
    const [last] = await resolveTargets('box', { ...addressOf(box), fingerprint: box.fingerprint });
    const [first] = await resolveTargets('gate', { ...addressOf(gate), fingerprint: gate.fingerprint });
    await expect(connectThrough('box', { targets: [first!, last!], aliveMs: 1000 })).rejects.toMatchObject({
      name: 'HostConfigError',
      message: expect.stringContaining('AllowTcpForwarding') as string,
    });
  });
});
