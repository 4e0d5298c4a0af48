/** What early abort does to one trial, on average. Shares are of the run's budget or of trials. */
export interface AbortEffect {
  /** Fixed cost of a trial beside its run, in units of the run's budget. */
  overhead: number;
  /** P(bad). */
  bad: number;
  /** P(abort | bad) and the mean share of the budget used at such an abort. */
  power: number;
  shareAtTrueAbort: number;
  /** P(abort | good) and the mean share of the budget used at such an abort. */
  falseAbort: number;
  shareAtFalseAbort: number;
}

/**
 * Gains over running everything to the end.
 *
 * A trial costs o before its run and, in units of the budget T = 1, a run that is bad with probability p. A bad run is
 * aborted with probability q and then has used τ_b on average, else 1; a good one is aborted with probability f and has
 * then used τ_g, else 1. By total expectation
 *
 *     E[cost] = o + p·(q·τ_b + 1 − q) + (1 − p)·(f·τ_g + 1 − f)
 *
 * and in the long run (renewal reward theorem) trials per time are 1/E[cost], against 1/(1 + o) without aborts:
 *
 *     runs   = (1 + o) / E[cost]        trials per slot time, relative
 *     useful = runs · (1 − f)           improvements kept per slot time, relative: of good runs 1 − f survive
 *
 * With o = f = 0: runs = 1 / (1 − p·q·(1 − τ_b)), at most 1/(1 − p). It does not compound over time.
 */
export function gainOf(effect: AbortEffect): { runs: number; useful: number } {
  const { overhead, bad, power, shareAtTrueAbort, falseAbort, shareAtFalseAbort } = effect;
  const badRun = power * shareAtTrueAbort + 1 - power;
  const goodRun = falseAbort * shareAtFalseAbort + 1 - falseAbort;
  const runs = (1 + overhead) / (overhead + bad * badRun + (1 - bad) * goodRun);
  return { runs, useful: runs * (1 - falseAbort) };
}
