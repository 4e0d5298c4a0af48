import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Echo, startEcho } from './ssh/echo.ts';
import { type SlowRelay, startSlowRelay } from '../../../bench/support/slow-relay.ts';
import { noBusybox } from '../../support/busybox.ts';
import { noSshd, noUsers } from '../../support/sshd.ts';
import { testCompute } from './conformance.ts';
import { SECRET } from './conformance/sandbox.ts';
import { testHosts } from './ssh/hosts.ts';

const { start: startHost, connect } = testHosts();
/** Runs may read it, and not the scratch folder that lies there. */
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

// A profile as users have them: it has secrets, prints, on both streams and without an end of line, and leaves the home.
const PROFILE = `export OPENAI_API_KEY=${SECRET}; echo "welcome to the box"; printf 'no end of line'; echo noise >&2; cd /; alias rm='rm -i'\n`;

/** One way. */
const DELAY_MS = 25;

describe.skipIf(noSshd !== undefined)(`SSH ${noSshd ?? ''}`, () => {
  testCompute({
    name: `a host behind a real sshd, as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}`,
    create: async () => open(await start({ profile: PROFILE })),
    stages,
  });
  describe.skipIf(noUsers !== undefined)(`another user ${noUsers ?? ''}`, () => {
    testCompute({
      name: 'a host where an ordinary user logs in, and the worker is root',
      create: async () => open(await start({ as: 'perpetua-host-1', profile: PROFILE })),
      stages,
      skip: { waiting: 'the supervisor measures it, whoever it is' },
    });
  });
  describe.skipIf(noBusybox !== undefined)(`busybox ${noBusybox ?? ''}`, () => {
    testCompute({
      name: 'a host whose script is run by busybox',
      create: async () => open(await start(), { shell: 'busybox sh' }),
      stages,
      skip: { limits: 'the supervisor has them, and tests of its own under every shell' },
    });
  });
  let relay: SlowRelay | undefined;
  let echo: Echo | undefined;
  testCompute({
    name: 'a host that is 50 ms away',
    create: async () => {
      const sshd = await start();
      relay = await startSlowRelay({ port: sshd.port, delayMs: DELAY_MS });
      echo = await startEcho(DELAY_MS);
      return open(sshd, { port: relay.port, fingerprint: sshd.fingerprint });
    },
    stages,
    skip: {
      limits: 'the supervisor has them, wherever its host is',
      waiting: 'the supervisor measures it, wherever its host is',
      sandbox: 'the supervisor builds it, wherever its host is',
    },
    roundTrip: async () => (await echo?.roundTrip()) ?? NaN,
    destroy: async () => {
      relay?.close();
      echo?.close();
    },
  });
});
