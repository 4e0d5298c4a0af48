import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { type Arm, armKey, NO_CREDIT } from '../../domain/search/mixture/arm.ts';
import type { Need } from '../../domain/search/proposer.ts';
import {
  choiceFor,
  type Chooser,
  type ChosenArm,
  chooserOf,
  type Maker,
  needsOfMaker,
} from '../../domain/search/proposer/makers.ts';
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
  const isDown = (arm: Arm): boolean => stored.get(armKey(arm))?.isDown === true;
  const chosen = chooser.choose({
    n: trial.n,
    observations: await observationsFor(tx, { trial, task, reach: chooser.observes }),
    random: createRandom(hashToSeed(`${proposerSeedOf(trial)}/proposer`)),
    creditOf: (arm) => stored.get(armKey(arm)) ?? NO_CREDIT,
    isDown,
  });
  const up = isDown(chosen.arm) ? chooser.arms.find(({ arm }) => !isDown(arm)) : undefined;
  return up === undefined ? chosen : { ...up, reason: `in place of ${armKey(chosen.arm)}, whose endpoint is down` };
}

/** Seconds for which an arm is not chosen after its endpoint was down. Then one trial after another tries it again. */
export const DOWN_SECONDS = 300;

/** Needs that an endpoint meets: all but knobs, which the task has. */
const endpointsOf = (maker: Maker): Need[] => needsOfMaker(maker).filter((need) => need !== 'knobs');

/** True if a trial's arm needs an endpoint that another arm of its mixture does not need, and it is no rollout. */
export async function hasOtherArm(
  store: { research: Pick<TxStore['research'], 'readArms'> },
  { trial, research, task }: { trial: Trial; research: Pick<Research, 'proposer'>; task: Task },
): Promise<boolean> {
  const chooser = trial.arm === null ? null : chooserOf(choiceFor(research.proposer, task.search));
  const own = chooser?.among.find(({ name }) => name === trial.proposer);
  if (!chooser || !own || own.method.learns === true || endpointsOf(own).length === 0) return false;
  const stored = new Map((await store.research.readArms(trial)).map((arm) => [arm.key, arm]));
  return chooser.arms.some(
    ({ arm, maker }) =>
      stored.get(armKey(arm))?.isDown !== true && endpointsOf(maker).every((need) => !endpointsOf(own).includes(need)),
  );
}

/** Keys of the arms that need an endpoint of a proposer. */
export function keysWithEndpointOf(chooser: Chooser, maker: Maker): string[] {
  const down = endpointsOf(maker);
  return chooser.arms
    .filter((other) => endpointsOf(other.maker).some((need) => down.includes(need)))
    .map(({ arm }) => armKey(arm));
}
