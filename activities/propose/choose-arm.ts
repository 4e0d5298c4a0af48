import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { type Arm, armKey, NO_CREDIT } from '../../domain/search/mixture/arm.ts';
import { asSettings } from '../../domain/method/axis.ts';
import type { AskedAgent } from '../../domain/search/proposer/command.ts';
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
  return up === undefined ? chosen : { ...up, reason: `in place of ${armKey(chosen.arm)}, ${reasonOf(chosen.maker)}` };
}

const reasonOf = ({ method }: Maker): string =>
  method.runs === 'job' ? 'whose agent cannot work' : 'whose endpoint is down';

/** Seconds for which an arm is not chosen after its endpoint was down. Then one trial after another tries it again. */
export const DOWN_SECONDS = 300;

/** Needs that a worker meets: endpoints, and a coding agent. The task has the knobs. */
function workerNeedsOf(maker: Maker): string[] {
  const endpoints: string[] = needsOfMaker(maker).filter((need) => need !== 'knobs');
  if (maker.method.runs !== 'job') return endpoints;
  const { agent }: AskedAgent = asSettings(maker.settings);
  return [...endpoints, `agent ${JSON.stringify(agent)}`];
}

/** True if a trial's arm needs something of the worker that another arm of its mixture does not, and is no rollout. */
export async function hasOtherArm(
  store: { research: Pick<TxStore['research'], 'readArms'> },
  { trial, research, task }: { trial: Trial; research: Pick<Research, 'proposer'>; task: Task },
): Promise<boolean> {
  const chooser = trial.arm === null ? null : chooserOf(choiceFor(research.proposer, task.search));
  const own = chooser?.among.find(({ name }) => name === trial.proposer);
  const needed = own ? workerNeedsOf(own) : [];
  if (!chooser || !own || own.method.learns === true || needed.length === 0) return false;
  const stored = new Map((await store.research.readArms(trial)).map((arm) => [arm.key, arm]));
  return chooser.arms.some(
    ({ arm, maker }) =>
      stored.get(armKey(arm))?.isDown !== true && workerNeedsOf(maker).every((need) => !needed.includes(need)),
  );
}

/** Keys of the arms that need the endpoint or the agent of a proposer. */
export function keysThatNeed(chooser: Chooser, maker: Maker): string[] {
  const down = workerNeedsOf(maker);
  return chooser.arms
    .filter((other) => workerNeedsOf(other.maker).some((need) => down.includes(need)))
    .map(({ arm }) => armKey(arm));
}
