import { describe } from 'vitest';
import { type SlowRelay, startSlowRelay } from '../../support/machine/slow-relay.ts';
import { noBusybox } from '../../support/machine/busybox.ts';
import { noSshd, noUsers } from '../../support/machine/sshd.ts';
import { testCompute } from './conformance.ts';
import { conformanceHosts, OF_THE_SCRIPT, OF_THE_SUPERVISOR, PROFILE } from './ssh/support/conformance.ts';

/** Delay in one direction, in ms. */
const DELAY_MS = 25;

const { open, stages, start } = conformanceHosts();

describe.skipIf(noSshd !== undefined)(`SSH ${noSshd ?? ''}`, () => {
  describe.skipIf(noUsers !== undefined)(`another user ${noUsers ?? ''}`, () => {
    testCompute({
      name: 'a host where an ordinary user logs in, and the worker is root',
      create: async () => open(await start({ as: 'perpetua-host-1', profile: PROFILE })),
      stages,
      // Tested here: an ordinary user's limits, sandbox and file permissions differ from those of root.
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
            'is told apart from what a run changed, and set aside, so that it is staged again',
            'is not launched from where somebody has removed the right to execute one, but staged again',
            'is launched from as its own setup left it, be that with a tool that may not be executed',
            'is blamed for a run that failed where somebody has removed, with nothing in it, ' +
              'what its setup made below the top',
            'is not blamed if runs without a sandbox added to what its setup made, or touched a lock in it',
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
            'is told apart from what a run changed, and set aside, so that it is staged again',
            'is not launched from where somebody has removed the list of its files, but staged again',
            'is not launched from where somebody has added to one without a setup, but staged again',
            'is blamed for a run that failed where somebody has changed what its setup made below the top',
            'is found out after a run, too, when what its setup made went in its middle',
            'is still read by what runs with it, and removed when no run is made from it any more',
          ],
        },
      },
    });
  });
  let relay: SlowRelay | undefined;
  testCompute({
    name: 'a host that is 50 ms away',
    create: async () => {
      const sshd = await start();
      relay = await startSlowRelay({ port: sshd.port, delayMs: DELAY_MS });
      return open(sshd, { port: relay.port, fingerprint: sshd.fingerprint });
    },
    stages,
    skip: { ...OF_THE_SUPERVISOR, ...OF_THE_SCRIPT },
    roundTrips: () => relay?.roundTrips() ?? NaN,
    destroy: async () => relay?.close(),
  });
});
