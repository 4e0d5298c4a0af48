import { execFileSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { noProfile, noSshd, startSshd, type Sshd } from './sshd.ts';

const started: Sshd[] = [];
afterAll(() => Promise.all(started.map((sshd) => sshd.destroy())));

it.skipIf(noSshd !== undefined)(
  `runs several real sshd at once, each with a home of its own ${noSshd ?? ''}`,
  async () => {
    started.push(...(await Promise.all([startSshd(), startSshd({ profile: 'echo noise\n' })])));
    const outputs = started.map(({ port, user, key, knownHosts }) =>
      execFileSync(
        'ssh',
        [
          '-p',
          String(port),
          '-i',
          key,
          '-o',
          `UserKnownHostsFile=${knownHosts}`,
          '-o',
          'BatchMode=yes',
          `${user}@127.0.0.1`,
        ].concat('echo $HOME'),
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
      ),
    );
    const noise = noProfile === undefined ? 'noise\n' : '';
    expect(outputs).toEqual([`${started[0]?.home}\n`, `${noise}${started[1]?.home}\n`]);
  },
);
