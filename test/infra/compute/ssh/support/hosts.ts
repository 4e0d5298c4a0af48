import { afterAll } from 'vitest';
import { createSshCompute, type SshCompute, type SshOptions } from '../../../../../infra/compute/ssh.ts';
import { startSshd, type Sshd, type SshdOptions } from '../../../../support/machine/sshd.ts';

/** Starts hosts and connections for a file of tests; destroys all of them after the file. */
export function testHosts() {
  const sshds: Sshd[] = [];
  const computes: SshCompute[] = [];
  afterAll(async () => {
    computes.forEach((compute) => compute.close());
    await Promise.all(sshds.map((sshd) => sshd.destroy()));
  });
  const open = (options: SshOptions): SshCompute => {
    const compute = createSshCompute(options);
    computes.push(compute);
    return compute;
  };
  return {
    start: async (options?: SshdOptions): Promise<Sshd> => {
      const sshd = await startSshd(options);
      sshds.push(sshd);
      return sshd;
    },
    open,
    connect: (sshd: Sshd, more: Partial<SshOptions> = {}): SshCompute =>
      open({ ...addressOf(sshd), installation: 'ssh-tests', host: 'box', ...more }),
  };
}

/** SSH options that reach a host of the tests. */
export const addressOf = (sshd: Sshd) => ({
  address: sshd.address,
  port: sshd.port,
  user: sshd.user,
  keyFile: sshd.key,
  knownHosts: [sshd.knownHosts],
  configFile: '/dev/null',
});
