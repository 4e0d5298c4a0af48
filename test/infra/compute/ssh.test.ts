import { describe } from 'vitest';
import { noSshd, noUsers } from '../../support/machine/sshd.ts';
import { testCompute } from './conformance.ts';
import { SECRET } from './conformance/sandbox.ts';
import { conformanceHosts, OF_THE_SUPERVISOR } from './ssh/support/conformance.ts';

// A profile as users have them: it has secrets, prints, on both streams and without an end of line, and leaves the home.
const PROFILE = `export OPENAI_API_KEY=${SECRET}; echo "welcome to the box"; printf 'no end of line'; echo noise >&2; cd /; alias rm='rm -i'\n`;

const { open, stages, start } = conformanceHosts();

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
});
