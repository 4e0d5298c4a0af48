import type { ArmView } from '../../view/rows/arms.ts';
import type { Tx } from '../connect.ts';
import { readArms } from '../research/arms.ts';

/** Arms of a research's mixture, the most chosen first; empty without a mixture. */
export async function readArmViews(db: Tx, input: { researchId: string }): Promise<ArmView[]> {
  const arms = await readArms(db, input);
  const all = arms.reduce((sum, { chosen }) => sum + chosen, 0);
  return arms
    .toSorted((a, b) => b.chosen - a.chosen)
    .map(({ key, chosen, trials, reward, seconds, usd, down, isDown }) => ({
      key,
      trials: chosen,
      share: all === 0 ? 0 : chosen / all,
      reward: trials === 0 ? null : reward / trials,
      seconds: trials === 0 ? null : seconds / trials,
      usd: trials === 0 ? null : usd / trials,
      down: isDown ? down : null,
    }));
}
