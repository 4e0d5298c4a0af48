import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Echo, startEcho } from './ssh/support/echo.ts';
import { type SlowRelay, startSlowRelay } from '../../support/machine/slow-relay.ts';
import { noBusybox } from '../../support/machine/busybox.ts';
import { noSshd, noUsers } from '../../support/machine/sshd.ts';
import { testCompute } from './conformance.ts';
import { SECRET } from './conformance/sandbox.ts';
import { testHosts } from './ssh/support/hosts.ts';

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

/** Parts that local.test.ts has whole: the supervisor's, the same file on every host. */
const OF_THE_SUPERVISOR = {
  limits: 'the supervisor has them, wherever its host is',
  waiting: 'the supervisor measures it, wherever its host is',
  containment: 'the supervisor sees to it, wherever its host is',
  sandbox: 'the supervisor builds it, wherever its host is',
};
/** Parts that the first host below has whole: the host script's, which knows neither its user nor how far it is. */
const OF_THE_SCRIPT = {
  ownFolders: 'the host script finds them, as for a host nearby',
  setup: 'the host script runs it, as for a host nearby',
  stage: 'the host script looks after it, as for a host nearby',
  aside: 'the host script keeps it, as for a host nearby',
};

describe.skipIf(noSshd !== undefined)(`SSH ${noSshd ?? ''}`, () => {
  testCompute({
    name: `a host behind a real sshd, as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}`,
    create: async () => open(await start({ profile: PROFILE })),
    stages,
    skip: OF_THE_SUPERVISOR,
  });
  describe.skipIf(noUsers !== undefined)(`another user ${noUsers ?? ''}`, () => {
    testCompute({
      name: 'a host where an ordinary user logs in, and the worker is root',
      create: async () => open(await start({ as: 'perpetua-host-1', profile: PROFILE })),
      stages,
      // A user who is not root has other limits, another sandbox, and files that are not its own.
      skip: {
        life: 'nothing in it asks who the user is',
        converse: 'nothing in it asks who the user is',
        ownFolders: {
          reason: 'the script finds them, whoever the user is',
          but: ['are seen by its run, with the Python that an environment there was made from, and nothing beside'],
        },
        waiting: 'the supervisor measures it, whoever it is',
        limits: {
          reason: 'the supervisor counts it itself, whoever it is',
          but: [
            'of memory ends a run that takes more',
            'of processes ends a run that starts more',
            'ends a fork bomb',
            'does not touch a run that keeps within all of them',
          ],
        },
        stage: {
          reason: 'nothing in it asks who may do what to a file',
          but: [
            'is told apart from what a run changed, and set aside, so that it is staged anew',
            'is not launched from where somebody has removed the right to execute one, but staged anew',
            'is launched from as its own setup left it, be that with a tool that may not be executed',
            'is blamed for a run that failed where somebody has removed, with nothing in it, what its setup made below the top',
            'is not blamed where runs without a sandbox have added to what its setup made, or touched a lock in it',
            'is still read by what runs with it, and removed when no run is made from it any more',
          ],
        },
      },
    });
  });
  describe.skipIf(noBusybox !== undefined)(`busybox ${noBusybox ?? ''}`, () => {
    testCompute({
      name: 'a host whose script is run by busybox',
      create: async () => open(await start(), { shell: 'busybox sh' }),
      stages,
      skip: {
        limits: 'the supervisor has them, and tests of its own under every shell',
        waiting: 'the supervisor measures it, by a program that is no part of busybox',
        stage: {
          reason: 'the commands of the others are those of these',
          but: [
            'is told apart from what a run changed, and set aside, so that it is staged anew',
            'is not launched from where somebody has removed the list of its files, but staged anew',
            'is not launched from where somebody has added to one without a setup, but staged anew',
            'is blamed for a run that failed where somebody has changed what its setup made below the top',
            'is found out after a run, too, when what its setup made went in its middle',
            'is not weighed as what its runs have of their own, wherever it lies',
            'is still read by what runs with it, and removed when no run is made from it any more',
          ],
        },
      },
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
    skip: { ...OF_THE_SUPERVISOR, ...OF_THE_SCRIPT },
    roundTrip: async () => (await echo?.roundTrip()) ?? NaN,
    destroy: async () => {
      relay?.close();
      echo?.close();
    },
  });
});
