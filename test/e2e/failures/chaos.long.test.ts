import { describe, expect, test } from 'vitest';
import { chaos } from '../../../bench/support/chaos.ts';
import { noSshd } from '../../support/machine/sshd.ts';

describe.skipIf(noSshd !== undefined)(`a fleet under fire${noSshd ? ` (${noSshd})` : ''}`, () => {
  test(
    'loses, doubles and blames nothing, whatever is killed or cut, and each number on the page is what its SQL gives',
    { timeout: 1_200_000 },
    async () => {
      const result = await chaos({ strikes: 20, everySeconds: 1.5, seed: 7 });
      expect(result).toMatchObject({
        figuresThatDiffer: [],
        lost: 0,
        doubled: 0,
        misattributed: [],
        slotsLost: 0,
        processesLeft: [],
      });
      expect(result.trials).toBeGreaterThan(5);
      expect(Object.values(result.strikes).reduce((sum, times) => sum + times, 0)).toBe(20);
    },
  );
});
