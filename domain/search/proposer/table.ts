import { type Chosen, methodOf, type NameOf } from '../axis.ts';
import type { Need, Proposer } from '../proposer.ts';
import { llm } from './llm.ts';
import { policy } from './policy.ts';
import { random } from './random.ts';

/** Every proposer. A new one is its file, a line here, and an activity where it does not only draw. */
export const PROPOSERS = { llm, policy, random } as const satisfies Record<string, Proposer>;

export type ProposerName = NameOf<typeof PROPOSERS>;
/** Proposers that have an activity of their own. */
export type AskedProposer = {
  [N in ProposerName]: (typeof PROPOSERS)[N] extends { draw: unknown } ? never : N;
}[ProposerName];

/** In place of a proposer: the first of these whose needs are met when the research starts. */
export const AUTO = 'auto';
export const AUTO_ORDER: readonly ProposerName[] = ['llm', 'random'];

/** The name that is stored where nothing is proposed: a check of a task needs no model. */
export const PROPOSER_OF_CHECKS: ProposerName = 'random';
/** The name that is stored where candidates attack a task: what runs counts as code that nobody read. */
export const PROPOSER_OF_ATTACKS: ProposerName = 'llm';

/** The name in place of a proposer where a person injected the candidate. */
export const PERSON = 'person';

/** A stored proposer; throws UnknownMethod for one that this build does not have. */
export const proposerOf = (stored: unknown): Chosen<typeof PROPOSERS> => methodOf('search.proposer', PROPOSERS, stored);

/** All that a choice needs, its settings included; throws UnknownMethod for one that this build does not have. */
export function needsOf(choice: unknown): readonly Need[] {
  const { method, settings } = proposerOf(choice);
  const { needs, needsBy }: Proposer = method;
  return [...needs, ...(needsBy?.(settings) ?? [])];
}

/** Names of proposers that change nothing but declared knobs: what anyone else made counts as code that nobody read. */
export const KNOB_WRITERS: readonly string[] = Object.entries<Proposer>(PROPOSERS)
  .filter(([, { writes }]) => writes === 'knobs')
  .map(([name]) => name);

/** Whether a stored proposer samples a policy, whose samples form groups; false for one that this build does not have. */
export const learns = (stored: string): boolean =>
  Object.entries<Proposer>(PROPOSERS).some(([name, { learns: does = false }]) => name === stored && does);

/** Whether a stored proposer draws from the knobs, which may run out of values; false for one that this build does not have. */
export const draws = (stored: string): boolean =>
  Object.entries<Proposer>(PROPOSERS).some(([name, { draw }]) => name === stored && draw !== undefined);
