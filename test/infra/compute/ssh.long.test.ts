import { describe } from 'vitest';
import { type SlowRelay, startSlowRelay } from '../../support/machine/slow-relay.ts';
import { noBusybox } from '../../support/machine/busybox.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import { testCompute } from './conformance.ts';
import { conformanceHosts, OF_THE_SCRIPT, OF_THE_SUPERVISOR } from './ssh/support/conformance.ts';

/** One way. */
const DELAY_MS = 25;

const { open, stages, start } = conformanceHosts();

describe.skipIf(noSshd !== undefined)(`SSH ${noSshd ?? ''}`, () => {
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
