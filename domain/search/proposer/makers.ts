import { nameOf, parsed } from '../../method/axis.ts';
import type { Mixture, MixtureInput, Need, Proposer, ProposerChoice } from '../proposer.ts';
import { UnknownMethod } from '../../method/unknown-method.ts';
import { PROPOSERS, proposerOf } from './table.ts';

/** A proposer that makes proposals itself, with its settings filled in. */
export interface Maker {
  name: string;
  method: Proposer;
  settings: Readonly<Record<string, unknown>>;
}

/** A proposer that chooses among others, with its settings filled in. */
export interface Chooser {
  among: readonly Maker[];
  observes: Mixture['observes'];
  choose: (input: MixtureInput) => { maker: Maker; reason: string };
}

/** The mixture that a choice names; null for a proposer that makes its proposals itself. Throws as `proposerOf` does. */
export function chooserOf(choice: unknown): Chooser | null {
  const { name, method, settings } = proposerOf(choice);
  const mixture = asMixture(method);
  if (mixture === null) return null;
  const among = mixture.among(parsed(settings)).map(makerOf);
  if (among.length === 0) throw new UnknownMethod('search.proposer', choice, MAKERS);
  return {
    among,
    observes: mixture.observes,
    choose: (input) => {
      const { proposer, reason } = mixture.choose(input, parsed(settings));
      const chosen = makerOf(proposer);
      const maker = among.find((one) => isSame(one, chosen));
      if (!maker) throw new Error(`Expected ${name} to choose one of those that it names, came ${chosen.name}`);
      return { maker, reason };
    },
  };
}

/** The members that a mixture names, as they are written; null for a proposer that makes its proposals itself. Throws as `proposerOf` does. */
export function membersOf(choice: unknown): readonly ProposerChoice[] | null {
  const { method, settings } = proposerOf(choice);
  return asMixture(method)?.among(parsed(settings)) ?? null;
}

/** Every proposer that may make a proposal for a choice, at least one. Throws as `proposerOf` does. */
export const makersOf = (choice: unknown): readonly Maker[] => chooserOf(choice)?.among ?? [makerOf(choice)];

/** A proposer that makes proposals itself. Throws UnknownMethod for a mixture, too: a newer version may let mixtures nest. */
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

/** Facts about a choice: what holds of any of the proposers that may be chosen. */
export interface ProposerFacts {
  /** All that any of them needs, settings included. */
  needs: readonly Need[];
  /** `code` where any of them writes code: the strictest sandbox is the default. */
  writes: Proposer['writes'];
  readsPrompt: boolean;
  /** Some of them make their proposals in the workflow task. */
  someAtOnce: boolean;
  /** Those that sample a policy, which may learn. */
  learners: readonly Maker[];
  /** Names of all of them, where each draws from the knobs, which may run out of values; else empty. */
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
    drawers: methods.every(({ draw }) => draw !== undefined) ? makers.map(({ name }) => name) : [],
  };
}

/** The same, or null for a choice that this build does not know. */
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
  ...(needsBy?.(parsed(settings)) ?? []),
];

/** Whether a stored choice samples a policy, whose samples form groups; false for one that this build does not know. */
export const learns = (choice: unknown): boolean => (knownFacts(choice)?.learners.length ?? 0) > 0;

/** Names of the proposers of the table of which a fact holds, each with its default settings. */
export const proposersThat = (holds: (facts: ProposerFacts) => boolean): string[] =>
  Object.keys(PROPOSERS).filter((name) => holds(factsOf(name)));

/** Names of proposers that change nothing but declared knobs: what anyone else made counts as code that nobody read. */
export const KNOB_WRITERS: readonly string[] = proposersThat(({ writes }) => writes === 'knobs');

/** A proposer by its name with the settings that a task gives it, where the task names the same one. */
export const choiceFor = (proposer: string, search: { proposer?: unknown }): unknown =>
  nameOf(search.proposer) === proposer ? search.proposer : proposer;

/** The proposer of a research with its settings; 0.1 recorded none. */
export const choiceIn = (research: {
  proposer: string;
  settings: { search: { proposer?: unknown } } | null;
}): unknown => choiceFor(research.proposer, research.settings?.search ?? {});
