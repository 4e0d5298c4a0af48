import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { armKey, NO_CREDIT } from '../../domain/search/mixture/arm.ts';
import type { Chooser, ChosenArm } from '../../domain/search/proposer/makers.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import type { Task } from '../../domain/task/task.ts';
import { hashToSeed } from '../../domain/trial/seed.ts';
import { proposerSeedOf } from '../../domain/trial/trial-seeds.ts';
import { observationsFor } from './observations-for.ts';

interface Choosing {
  chooser: Chooser;
  trial: Trial;
  task: Task;
}

/** Chooses the arm of a trial by the stored credit of all arms. The caller holds the research's lock. */
export async function chooseArm(tx: TxStore, { chooser, trial, task }: Choosing): Promise<ChosenArm> {
  const stored = new Map((await tx.research.readArms(trial)).map((arm) => [arm.key, arm]));
  return chooser.choose({
    n: trial.n,
    observations: await observationsFor(tx, { trial, task, reach: chooser.observes }),
    random: createRandom(hashToSeed(`${proposerSeedOf(trial)}/proposer`)),
    creditOf: (arm) => stored.get(armKey(arm)) ?? NO_CREDIT,
    isDown: (arm) => stored.get(armKey(arm))?.isDown === true,
  });
}
