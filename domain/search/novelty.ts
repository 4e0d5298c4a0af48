import { z } from 'zod';
import { asSettings, type Method, methodOf, NO_SETTINGS } from '../method/axis.ts';

/** Facts of a rule that detects known proposals. */
export interface NoveltyFacts extends Method {
  /** Candidates with equal programs are one candidate, although their texts differ. */
  bySyntax: boolean;
  /** Similarity of a change to an earlier one from which a model is asked again; null: only known ones count. */
  nearFrom: (settings: never) => number | null;
}

const nearSettings = z.strictObject({
  threshold: z
    .number()
    .min(0.5)
    .max(1)
    .default(0.95)
    .describe('similarity to an earlier change of the same parent, from 0 to 1, from which a model is asked again'),
});

/**
 * Rules that detect a known proposal. `exact`: by the candidate's id. `syntax`: also by the tokens of its programs, so
 * that comments and formatting do not count. `near`: like `syntax`, and a model is asked again if its change is much
 * like an earlier one.
 */
export const NOVELTY = {
  exact: { settings: NO_SETTINGS, bySyntax: false, nearFrom: () => null },
  syntax: { settings: NO_SETTINGS, bySyntax: true, nearFrom: () => null },
  near: {
    settings: nearSettings,
    bySyntax: true,
    nearFrom: ({ threshold }: z.infer<typeof nearSettings>) => threshold,
  },
} as const satisfies Record<string, NoveltyFacts>;

/** The rule of a search. Throws UnknownMethod for a rule that this build does not know. */
export function noveltyOf(choice: unknown): { bySyntax: boolean; threshold: number | null } {
  const { method, settings } = methodOf('novelty', NOVELTY, choice);
  const facts: NoveltyFacts = method;
  return { bySyntax: facts.bySyntax, threshold: facts.nearFrom(asSettings(settings)) };
}
