import { afterAll, describe } from 'vitest';
import { createSshCompute, type SshCompute, type SshOptions } from '../../../infra/compute/ssh.ts';
import { noSshd, startSshd, type Sshd } from '../../support/sshd.ts';
import { testCompute } from './conformance.ts';

const sshds: Sshd[] = [];
const computes: SshCompute[] = [];
afterAll(async () => {
  computes.forEach((compute) => compute.close());
  await Promise.all(sshds.map((sshd) => sshd.destroy()));
});

async function start(options?: Parameters<typeof startSshd>[0]): Promise<Sshd> {
  const sshd = await startSshd(options);
  sshds.push(sshd);
  return sshd;
}

function connect(sshd: Sshd, more: Partial<SshOptions> = {}): SshCompute {
  const compute = createSshCompute({
    ...{ address: '127.0.0.1', port: sshd.port, user: sshd.user, keyFile: sshd.key, configFile: '/dev/null' },
    ...{ knownHosts: [sshd.knownHosts], installation: 'ssh-tests', host: 'box' },
    ...more,
  });
  computes.push(compute);
  return compute;
}

// A profile as users have them: it prints, reads and changes the folder.
const PROFILE = `echo "welcome to the box"; printf 'no end of line'; echo noise >&2; cd /; alias rm='rm -i'\n`;

describe.skipIf(noSshd !== undefined)(`SSH ${noSshd ?? ''}`, () => {
  testCompute({
    name: `a host behind a real sshd, as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}`,
    create: async () => connect(await start({ profile: PROFILE }), { installation: 'conformance' }),
  });
});
