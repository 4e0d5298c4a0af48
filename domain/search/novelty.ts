import { type Method, methodOf, NO_SETTINGS, type NameOf } from '../method/axis.ts';

/** Facts of a rule that detects known proposals. */
export interface NoveltyFacts extends Method {
  /** Candidates with equal programs are one candidate, although their texts differ. */
  bySyntax: boolean;
}

/**
 * Rules that detect a known proposal. `exact`: by the candidate's id. `syntax`: also by the tokens of its programs, so
 * that comments and formatting do not count.
 */
export const NOVELTY = {
  exact: { settings: NO_SETTINGS, bySyntax: false },
  syntax: { settings: NO_SETTINGS, bySyntax: true },
} as const satisfies Record<string, NoveltyFacts>;

/** The rule of a search. Throws UnknownMethod for a rule that this build does not know. */
export const noveltyOf = (choice: unknown): { name: NameOf<typeof NOVELTY>; method: NoveltyFacts } =>
  methodOf('novelty', NOVELTY, choice);
