import { describe } from 'vitest';
import { noSshd } from '../../support/machine/sshd.ts';
import { testCompute } from './conformance.ts';
import { conformanceHosts, OF_THE_SUPERVISOR, PROFILE } from './ssh/support/conformance.ts';

const { open, stages, start } = conformanceHosts();

describe.skipIf(noSshd !== undefined)(`SSH ${noSshd ?? ''}`, () => {
  testCompute({
    name: `a host behind a real sshd, as ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}`,
    create: async () => open(await start({ profile: PROFILE })),
    stages,
    skip: OF_THE_SUPERVISOR,
  });
});
