import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { type Arm, armKey, NO_CREDIT } from '../../domain/search/mixture/arm.ts';
import type { ModelSettings } from '../../domain/llm/asked-model.ts';
import { asSettings } from '../../domain/method/axis.ts';
import type { Need } from '../../domain/search/proposer.ts';
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
import type { OtherArms } from './propose-context.ts';

interface Choosing {
  chooser: Chooser;
  trial: Trial;
  task: Task;
  /** True if the arm replaces another one. */
  replaces?: boolean;
}

/**
 * Chooses the arm of a trial by the stored credit of all arms. An arm that learns replaces no other arm: its trials get
 * their places in groups when they begin. The caller holds the research's lock.
 */
export async function chooseArm(tx: TxStore, { chooser, trial, task, replaces = false }: Choosing): Promise<ChosenArm> {
  const stored = new Map((await tx.research.readArms(trial)).map((arm) => [arm.key, arm]));
  const barred = new Set(replaces ? chooser.arms.filter(learns).map(({ arm }) => armKey(arm)) : []);
  const isBarred = (arm: Arm): boolean => barred.has(armKey(arm));
  const isDown = (arm: Arm): boolean => isBarred(arm) || stored.get(armKey(arm))?.isDown === true;
  const chosen = chooser.choose({
    n: trial.n,
    observations: await observationsFor(tx, { trial, task, reach: chooser.observes }),
    random: createRandom(hashToSeed(`${proposerSeedOf(trial)}/proposer`)),
    creditOf: (arm) => stored.get(armKey(arm)) ?? NO_CREDIT,
    isDown,
  });
  if (!isDown(chosen.arm)) return chosen;
  const up = chooser.arms.find(({ arm }) => !isDown(arm));
  // If all others are down, the trial waits for one of them.
  const other = up ?? (isBarred(chosen.arm) ? chooser.arms.find(({ arm }) => !isBarred(arm)) : undefined);
  if (other === undefined) return chosen;
  return { ...other, reason: `in place of ${armKey(chosen.arm)}, ${reasonOf(chosen.maker)}` };
}

const learns = ({ maker }: { maker: Maker }): boolean => maker.method.learns === true;

function reasonOf({ method }: Maker): string {
  if (method.learns === true) return 'which replaces no other arm';
  return method.runs === 'job' ? 'whose agent cannot work' : 'whose endpoint is down';
}

/** Keys of the endpoints, and of the coding agent, that an arm needs. Arms with a key in common are down together. */
interface Needed {
  endpoints: readonly string[];
  /** The same, with the model that it asks. */
  models: readonly string[];
}

const USUAL = 'usual';

/** Endpoints, models and the agent that a proposer needs: all of its needs but knobs, which the task has. */
function neededBy(maker: Maker, { llm }: Pick<Task, 'llm'>): Needed {
  const settings: ModelSettings = asSettings(maker.settings);
  const provider = settings.provider ?? llm.provider ?? USUAL;
  const ofTask = settings.provider === undefined || settings.provider === llm.provider ? llm.model : undefined;
  const needs = needsOfMaker(maker).filter((need) => need !== 'knobs');
  const endpointOf = (need: Need): string => (need === 'model' ? `${need} ${provider}` : need);
  const modelOf = (need: Need): string =>
    need === 'model' ? `${endpointOf(need)} ${settings.model ?? ofTask ?? USUAL}` : endpointOf(need);
  const agents = agentsOf(maker);
  return { endpoints: [...needs.map(endpointOf), ...agents], models: [...needs.map(modelOf), ...agents] };
}

function agentsOf(maker: Maker): string[] {
  if (maker.method.runs !== 'job') return [];
  const { agent }: AskedAgent = asSettings(maker.settings);
  return [`agent ${JSON.stringify(agent)}`];
}

const shares = (one: readonly string[], other: readonly string[]): boolean => one.some((key) => other.includes(key));

const NONE: OtherArms = { ofOtherEndpoint: false, ofOtherModel: false };

/** The other arms that can make the proposal of a trial while what its own arm needs is down; none for a rollout. */
export async function otherArmsOf(
  store: { research: Pick<TxStore['research'], 'readArms'> },
  { trial, research, task, maker }: { trial: Trial; research: Pick<Research, 'proposer'>; task: Task; maker: Maker },
): Promise<OtherArms> {
  const chooser = trial.arm === null ? null : chooserOf(choiceFor(research.proposer, task.search));
  const own = neededBy(maker, task);
  if (!chooser || maker.method.learns === true || own.endpoints.length === 0) return NONE;
  const stored = new Map((await store.research.readArms(trial)).map((arm) => [arm.key, arm]));
  const up = chooser.arms
    .filter((other) => !learns(other) && stored.get(armKey(other.arm))?.isDown !== true)
    .map((other) => neededBy(other.maker, task));
  return {
    ofOtherEndpoint: up.some(({ endpoints }) => !shares(endpoints, own.endpoints)),
    ofOtherModel: up.some(({ models }) => !shares(models, own.models)),
  };
}

/** Keys of the arms that need an endpoint of a proposer; `isOfModel`: those that need its model. */
export function keysDownWith(
  chooser: Chooser,
  { maker, task, isOfModel }: { maker: Maker; task: Task; isOfModel: boolean },
): string[] {
  const kind = isOfModel ? 'models' : 'endpoints';
  const down = neededBy(maker, task)[kind];
  return chooser.arms.filter((other) => shares(neededBy(other.maker, task)[kind], down)).map(({ arm }) => armKey(arm));
}
