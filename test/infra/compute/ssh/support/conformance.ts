import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET } from '../../conformance/sandbox.ts';
import { testHosts } from './hosts.ts';

/** A shell profile as users have them: it exports a secret, prints to both streams, and leaves the home folder. */
export const PROFILE =
  `export OPENAI_API_KEY=${SECRET}; echo "welcome to the box"; printf 'no end of line'; ` +
  `echo noise >&2; cd /; alias rm='rm -i'\n`;

/** Hosts for the conformance suite. They are destroyed after the test file that calls this. */
export function conformanceHosts() {
  const { start: startHost, connect } = testHosts();
  /** A folder that runs may read, except for the scratch folder in it. */
  let shown = '';
  const start: typeof startHost = async (options) => {
    const sshd = await startHost(options);
    shown = join(sshd.home, 'shown');
    mkdirSync(shown);
    const { uid, gid } = statSync(sshd.home);
    chownSync(shown, uid, gid);
    return sshd;
  };
  const scratch = (): string => join(shown, 'host');
  const stages = (): string => join(scratch(), 'stages');
  const open: typeof connect = (sshd, more) =>
    connect(sshd, { installation: 'conformance', scratch: scratch(), readable: [shown], ...more });
  return { open, stages, start };
}

/** Parts that test/infra/compute/local.test.ts covers: the supervisor is the same file on every host. */
export const OF_THE_SUPERVISOR = {
  limits: 'the supervisor has them, wherever its host is',
  waiting: 'the supervisor measures it, wherever its host is',
  containment: 'the supervisor sees to it, wherever its host is',
  sandbox: 'the supervisor builds it, wherever its host is',
};
/** Parts that test/infra/compute/ssh.test.ts covers: the host script is the same for every user and distance. */
export const OF_THE_SCRIPT = {
  ownFolders: 'the host script finds them, as for a host nearby',
  setup: 'the host script runs it, as for a host nearby',
  stage: 'the host script looks after it, as for a host nearby',
  aside: 'the host script keeps it, as for a host nearby',
};
