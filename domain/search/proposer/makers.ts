import { choiceName, asSettings } from '../../method/axis.ts';
import type { Arm, ProposerChoice } from '../mixture/arm.ts';
import type { Mixture, MixtureInput, Need, Proposer } from '../proposer.ts';
import { UnknownMethod } from '../../method/unknown-method.ts';
import { PROPOSERS, proposerOf } from './table.ts';

/** A proposer that makes proposals itself, with default settings filled in. */
export interface Maker {
  name: string;
  method: Proposer;
  settings: Readonly<Record<string, unknown>>;
}

/** A mixture with its members looked up and default settings filled in. */
export interface Chooser {
  among: readonly Maker[];
  observes: Mixture['observes'];
  /** Its arms, each with its proposer looked up. */
  arms: readonly { arm: Arm; maker: Maker }[];
  /** Parent rules that it may choose in place of the research's. */
  parents: readonly unknown[];
  needsPrices: boolean;
  choose: (input: MixtureInput) => ChosenArm;
}

/** An arm with its proposer looked up. */
export interface ChosenArm {
  maker: Maker;
  arm: Arm;
  reason: string;
}

/** The mixture that a choice names; null for a proposer that makes its own proposals. Throws as `proposerOf` does. */
export function chooserOf(choice: unknown): Chooser | null {
  const { name, method, settings } = proposerOf(choice);
  const mixture = asMixture(method);
  if (mixture === null) return null;
  const named = mixture.among(asSettings(settings));
  const among = named.map(makerOf);
  const arms: readonly Arm[] = mixture.arms?.(asSettings(settings)) ?? named.map((proposer) => ({ proposer }));
  if (among.length === 0) throw new UnknownMethod('search.proposer', choice, MAKERS);
  return {
    among,
    observes: mixture.observes,
    arms: arms.map((arm) => ({ arm, maker: makerOf(arm.proposer) })),
    parents: arms.flatMap(({ parent }) => parent ?? []),
    needsPrices: mixture.needsPrices?.(asSettings(settings)) ?? false,
    choose: (input) => {
      const { reason, ...arm } = mixture.choose(input, asSettings(settings));
      const chosen = makerOf(arm.proposer);
      const maker = among.find((member) => isSame(member, chosen));
      if (!maker) throw new Error(`Expected ${name} to choose one of those that it names, got ${chosen.name}`);
      return { maker, arm, reason };
    },
  };
}

/**
 * The members of a mixture as its settings name them; null for a proposer that makes its own proposals. Throws as
 * `proposerOf` does.
 */
export function membersOf(choice: unknown): readonly ProposerChoice[] | null {
  const { method, settings } = proposerOf(choice);
  return asMixture(method)?.among(asSettings(settings)) ?? null;
}

/** Every proposer that may make a proposal for a choice, at least one. Throws as `proposerOf` does. */
export const makersOf = (choice: unknown): readonly Maker[] => chooserOf(choice)?.among ?? [makerOf(choice)];

/**
 * A proposer that makes its own proposals. Throws UnknownMethod for a mixture: a newer version may let mixtures nest.
 */
export function makerOf(choice: unknown): Maker {
  const { name, method, settings } = proposerOf(choice);
  const proposer = asProposer(method);
  if (proposer === null) throw new UnknownMethod('a proposer that makes proposals', choice, MAKERS);
  return { name, method: proposer, settings };
}

const asMixture = (method: Proposer | Mixture): Mixture | null => ('choose' in method ? method : null);
const asProposer = (method: Proposer | Mixture): Proposer | null => ('choose' in method ? null : method);

/** Names of the proposers that make proposals themselves, which a mixture may choose among. */
export const MAKERS: readonly string[] = Object.entries<Proposer | Mixture>(PROPOSERS)
  .filter(([, method]) => asProposer(method) !== null)
  .map(([name]) => name);

const isSame = (a: Maker, b: Maker): boolean =>
  a.name === b.name && JSON.stringify(a.settings) === JSON.stringify(b.settings);

/** Facts about a choice, combined over the members of a mixture, or of the proposer itself. */
export interface ProposerFacts {
  /** Needs of all members, with those that their settings add. */
  needs: readonly Need[];
  /** `code` if a member writes code: the strictest sandbox is the default. */
  writes: Proposer['writes'];
  readsPrompt: boolean;
  /** True if a member makes its proposals in the workflow task. */
  someAtOnce: boolean;
  /** Members that sample a policy, which may learn. */
  learners: readonly Maker[];
  /** Names of all members if each may run out of new candidates, such as values of knobs; else empty. */
  drawers: readonly string[];
}

/** Facts about a choice; throws as `proposerOf` does. */
export function factsOf(choice: unknown): ProposerFacts {
  const makers = makersOf(choice);
  const methods = makers.map(({ method }) => method);
  return {
    needs: [...new Set(makers.flatMap(needsOfMaker))],
    writes: methods.every(({ writes }) => writes === 'knobs') ? 'knobs' : 'code',
    readsPrompt: methods.some(({ readsPrompt }) => readsPrompt),
    someAtOnce: methods.some(({ runs }) => runs === 'at-once'),
    learners: makers.filter(({ method }) => method.learns === true),
    drawers: methods.every(({ draw, list, runsOut }) => draw !== undefined || list !== undefined || runsOut === true)
      ? makers.map(({ name }) => name)
      : [],
  };
}

/** Facts about a choice; null if this build does not know the choice. */
export function knownFacts(choice: unknown): ProposerFacts | null {
  try {
    return factsOf(choice);
  } catch (error) {
    if (error instanceof UnknownMethod) return null;
    throw error;
  }
}

export const needsOfMaker = ({ method: { needs, needsBy }, settings }: Maker): readonly Need[] => [
  ...needs,
  ...(needsBy?.(asSettings(settings)) ?? []),
];

/**
 * True if a stored choice samples a policy, whose samples form groups; false if this build does not know the choice.
 */
export const learns = (choice: unknown): boolean => (knownFacts(choice)?.learners.length ?? 0) > 0;

/** Names of the proposers whose facts, with default settings, meet a condition. */
export const proposersThat = (holds: (facts: ProposerFacts) => boolean): string[] =>
  Object.keys(PROPOSERS).filter((name) => holds(factsOf(name)));

/** Names of proposers that change only declared knobs. Candidates of all others count as unreviewed code. */
export const KNOB_WRITERS: readonly string[] = proposersThat(({ writes }) => writes === 'knobs');

/** The choice of a proposer by its name, with the task's settings if the task names the same proposer. */
export const choiceFor = (proposer: string, search: { proposer?: unknown }): unknown =>
  choiceName(search.proposer) === proposer ? search.proposer : proposer;

/** The proposer of a research with its settings. A research of version 0.1 has no recorded settings. */
export const choiceIn = (research: {
  proposer: string;
  settings: { search: { proposer?: unknown } } | null;
}): unknown => choiceFor(research.proposer, research.settings?.search ?? {});
