import { type Chosen, methodOf, type NameOf } from '../../method/axis.ts';
import type { Mixture, Proposer } from '../proposer.ts';
import { llm } from './llm.ts';
import { policy } from './policy.ts';
import { random } from './random.ts';

/** Every proposer. A new one is its file, a line here, and an activity where it does not only draw or choose. */
export const PROPOSERS = { llm, policy, random } as const satisfies Record<string, Proposer | Mixture>;

export type ProposerName = NameOf<typeof PROPOSERS>;
/** Proposers that have an activity of their own. */
export type AskedProposer = {
  [N in ProposerName]: (typeof PROPOSERS)[N] extends
    { draw: (...input: never) => unknown } | { choose: (...input: never) => unknown }
    ? never
    : N;
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
/** The name in place of a proposer whose draws were all known, where other values of the knobs were taken. */
export const NEIGHBOURS = 'neighbours';

/** A stored proposer; throws UnknownMethod for one that this build does not have. */
export const proposerOf = (stored: unknown): Chosen<typeof PROPOSERS> => methodOf('search.proposer', PROPOSERS, stored);
