import { type Chosen, methodOf, type NameOf } from '../../method/axis.ts';
import { mix } from '../mixture/mix.ts';
import type { Mixture, Proposer } from '../proposer.ts';
import { command } from './command.ts';
import { cmaEs } from './cma-es.ts';
import { grid } from './space/grid.ts';
import { llm } from './llm.ts';
import { policy } from './policy.ts';
import { random } from './random.ts';
import { replay } from './replay.ts';
import { uniform } from './space/uniform.ts';
import { tpe } from './tpe/tpe.ts';

/** Every proposer. A new one needs a file and a line here, and an activity unless it only draws or chooses. */
export const PROPOSERS = {
  'cma-es': cmaEs,
  command,
  grid,
  llm,
  mix,
  policy,
  random,
  replay,
  tpe,
  uniform,
} as const satisfies Record<string, Proposer | Mixture>;

export type ProposerName = NameOf<typeof PROPOSERS>;
/** Names of the proposers that have an activity of their own. */
export type AskedProposer = {
  [N in ProposerName]: (typeof PROPOSERS)[N] extends
    | { draw: (...input: never) => unknown }
    | { list: (...input: never) => unknown }
    | { choose: (...input: never) => unknown }
    ? never
    : N;
}[ProposerName];

/** Value in place of a proposer's name: the first of these whose needs are met when the research starts. */
export const AUTO = 'auto';
export const AUTO_ORDER: readonly ProposerName[] = ['llm', 'mix'];

/** Stored proposer of a research that checks a task; it proposes nothing and needs no model. */
export const PROPOSER_OF_CHECKS: ProposerName = 'random';
/** Stored proposer of a research that attacks a task, so that its candidates count as unreviewed code. */
export const PROPOSER_OF_ATTACKS: ProposerName = 'llm';

/** Stored name in place of a proposer, for a candidate that a person injected. */
export const PERSON = 'person';
/** Stored name in place of a proposer whose draws were all known, for other values of the knobs. */
export const NEIGHBOURS = 'neighbours';

/** Looks up a stored proposer. Throws UnknownMethod for a proposer that this build does not have. */
export const proposerOf = (stored: unknown): Chosen<typeof PROPOSERS> => methodOf('search.proposer', PROPOSERS, stored);
