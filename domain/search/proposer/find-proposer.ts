import type { Knob } from '../../knob/knob.ts';
import type { ModelSettings } from '../../llm/asked-model.ts';
import { asSettings, choiceName } from '../../method/axis.ts';
import type { Search } from '../schema.ts';
import { updatePlanIn } from '../update/table.ts';
import type { Need } from '../proposer.ts';
import { choiceFor, factsOf, type Maker, makersOf, membersOf, needsOfMaker, proposersThat } from './makers.ts';
import { AUTO, AUTO_ORDER, PROPOSERS } from './table.ts';

export type ProposerFound = { chosen: unknown; problem: null } | { chosen: null; problem: string };

/** Reason why a worker cannot ask the model of a proposer with these settings, with the remedy; null: it can. */
export type LacksModel = (settings: ModelSettings) => string | null;

/** Needs that the worker meets; `learning`: true if a policy that it samples can learn. */
export type ProvidedNeeds = Record<Exclude<Need, 'knobs' | 'optimizer' | 'model'>, boolean> & {
  model: boolean | LacksModel;
  learning?: boolean;
  /** Default: false. */
  optimizer?: boolean;
};

/**
 * Finds the requested proposer, else the task's; for `auto` the first whose needs are met. Else returns the problem.
 */
export function findProposer(
  task: { search: Search; knobs: readonly Knob[] },
  { asked, learning = true, optimizer = false, model, policy }: { asked?: string | undefined } & ProvidedNeeds,
): ProposerFound {
  const has: Record<Exclude<Need, 'model'>, boolean> = { knobs: task.knobs.length > 0, optimizer, policy };
  const meets = (need: Need, { settings }: Maker): boolean => {
    if (need !== 'model') return has[need];
    return typeof model === 'boolean' ? model : model(asSettings(settings)) === null;
  };
  const unmet = (maker: Maker): Need | undefined => needsOfMaker(maker).find((need) => !meets(need, maker));
  const lacking = (choice: unknown): boolean => makersOf(choice).some((maker) => unmet(maker) !== undefined);
  const wanted = asked === undefined ? task.search.proposer : choiceFor(asked, task.search);
  const chosen = wanted === AUTO ? (AUTO_ORDER.find((name) => !lacking(name)) ?? AUTO_ORDER.at(-1)) : wanted;
  const name = choiceName(chosen);
  if (chosen === undefined || name === undefined || !Object.hasOwn(PROPOSERS, name))
    return none(
      `search.proposer: expected one of ${Object.keys(PROPOSERS).join(', ')}, got ${name ?? 'another shape'}`,
    );
  const makers = makersOf(chosen);
  const shared = new Set(makers.map(unmet)).size === 1 || membersOf(chosen) === null;
  // A provider that the settings name has variables of its own.
  const remedyFor = (need: Need, { settings }: Maker): string =>
    need === 'model' && typeof model !== 'boolean' && 'provider' in settings
      ? `a model endpoint: ${model(asSettings(settings)) ?? ''}`
      : REMEDIES[need];
  const problems = makers.flatMap((maker) => {
    const need = unmet(maker);
    return need === undefined
      ? []
      : `${shared ? name : `${name} may choose ${maker.name}, which`} needs ${remedyFor(need, maker)}`;
  });
  if (problems.length > 0) return none(`search.proposer: ${[...new Set(problems)].join('; ')}`);
  const choice = refusedChoice(makers, task.knobs);
  if (choice !== null) return none(`search.proposer: ${choice}`);
  const [first, ...others] = factsOf(chosen).learners;
  if (others.some(({ settings }) => !isSame(settings, first?.settings))) return none(TWO_POLICIES);
  if (!learning && updatePlanIn({ ...task.search, proposer: chosen }) !== null) return none(NO_LEARNING);
  return { chosen, problem: null };
}

/** The sentence for a proposer of numbers in a task with a choice; null if there is none. */
export function refusedChoice(makers: readonly Maker[], knobs: readonly Knob[]): string | null {
  const maker = makers.find(({ method }) => method.numbersOnly === true);
  const choice = knobs.findIndex(({ type }) => type === 'choice');
  if (maker === undefined || choice < 0) return null;
  const others = proposersThat(({ needs }) => needs.includes('knobs') && !needs.includes('optimizer')).join(', ');
  return (
    `expected knobs with numbers only, since ${maker.name} sets no choices; got the choice ` +
    `${knobs[choice]?.name ?? ''} (knobs[${choice}]); choose ${others}, or remove the choice from knobs`
  );
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const TWO_POLICIES =
  'search.proposer: expected one policy with one set of settings, since a research has the weights of one policy; ' +
  'got several; give each the same settings';

const NO_LEARNING =
  'search.update: expected none, since the server of PERPETUA_POLICY_URL samples and does not learn; ' +
  'unset PERPETUA_POLICY_URL for the worker and install the trainer (npx perpetua trainer install)';

const withoutNeed = (need: Need): string => proposersThat(({ needs }) => !needs.includes(need)).join(' or ');

/** Proposers that need a model, and no knobs. */
const OF_MODELS = proposersThat(({ needs }) => needs.includes('model') && !needs.includes('knobs')).join(' or ');

/** A need's name, and the ways to meet it or to avoid it. */
const REMEDIES: Record<Need, string> = {
  model:
    'a model endpoint: set OPENAI_BASE_URL or OPENAI_API_KEY where the worker starts ' +
    '(npx perpetua down, set it, npm start), or the key and the model of another provider ' +
    `(docs/guides/models/providers.md), or choose ${withoutNeed('model')}`,
  policy: `a trainer on the worker: npx perpetua trainer install, or choose ${withoutNeed('policy')}`,
  optimizer: `Optuna on the worker: npx perpetua optimizer install, or choose ${withoutNeed('optimizer')}`,
  knobs: `knobs in the task; add knobs, or set a model endpoint (OPENAI_BASE_URL) and proposer ${OF_MODELS}`,
};

const none = (problem: string): ProposerFound => ({ chosen: null, problem });
