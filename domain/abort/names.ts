/** Every rule of early abort. */
export const ABORT_RULES = [
  'none',
  'matched-time',
  'median',
  'asha',
  'power-law-sprt',
  'power-law-sprt-corrected',
] as const;
export type AbortRuleName = (typeof ABORT_RULES)[number];

const TIGHTENING: readonly AbortRuleName[] = ['matched-time', 'power-law-sprt-corrected'];

/** True if the rule asks for more evidence where it is told to; the published ones can only be switched off. */
export const canTighten = (rule: AbortRuleName): boolean => TIGHTENING.includes(rule);
