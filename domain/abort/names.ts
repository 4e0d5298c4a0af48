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
