/** Runs of each variant and of the claim, unless the request limits the trials: enough for an interval. */
export const RUNS = 3;
/** Fewest runs for an interval of a difference. */
export const LEAST_RUNS = 2;
/** Most runs of each variant, whatever the request allows. */
export const MOST_RUNS = 20;
/** Most variants of an ablation. */
export const MOST_VARIANTS = 50;
/** Most trials of an ablation: of the claim and of each variant. */
export const MOST_TRIALS = (MOST_VARIANTS + 1) * MOST_RUNS;

/** Runs of each variant, and of the claim itself, within a budget of trials; or the reason why there are none. */
export function runsOfVariants(
  variants: number,
  { most }: { most: number | undefined },
): { runs: number } | { refused: string } {
  if (variants === 0) return { refused: 'the claim has no edits: it is the unmodified version' };
  if (variants > MOST_VARIANTS)
    return { refused: `expected a claim of at most ${MOST_VARIANTS} edits, this one has ${variants}` };
  const measured = variants + 1;
  const runs = most === undefined ? RUNS : Math.min(MOST_RUNS, Math.floor(most / measured));
  if (runs < LEAST_RUNS)
    return {
      refused:
        `expected a budget of at least ${measured * LEAST_RUNS} trials: ${LEAST_RUNS} runs of the claim and ` +
        `of each of its ${variants} variants; got ${most}`,
    };
  return { runs };
}
