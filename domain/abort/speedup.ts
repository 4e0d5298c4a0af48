/** What early abort does to one trial, on average. Times are in budgets, the others shares of trials. */
export interface AbortEffect {
  /** Fixed cost of a trial beside its run. */
  overhead: number;
  /** What a run takes that is left alone: 1 where every run takes its whole budget. */
  whole: number;
  /** P(bad). */
  bad: number;
  /** P(abort | bad), and what the runs that are stopped so would still have taken. */
  power: number;
  leftAtTrueAbort: number;
  /** P(abort | good), and what the runs that are stopped so would still have taken. */
  falseAbort: number;
  leftAtFalseAbort: number;
}

/**
 * Gains over running everything to the end.
 *
 * A trial costs o before its run, and a run that is left alone takes ℓ on average over all. A run is bad with probability p. A
 * bad run is aborted with probability q; those that are would still have taken σ_b on average. A good one is aborted
 * with probability f, and would still have taken σ_g. A trial costs o and its run's length less what its abort saves. By total
 * expectation
 *
 *     E[cost] = o + ℓ − p·q·σ_b − (1 − p)·f·σ_g
 *
 * however lengths, badness and aborts hang together, and in the long run (renewal reward theorem) trials per time are
 * 1/E[cost], against 1/(o + ℓ) without aborts:
 *
 *     runs   = (o + ℓ) / E[cost]        trials per slot time, relative
 *     useful = runs · (1 − f)           improvements kept per slot time, relative: of good runs 1 − f survive
 *
 * Where every run takes its budget (ℓ = 1) and is aborted after a share τ of it, σ is 1 − τ; with o = f = 0 then
 * runs = 1 / (1 − p·q·(1 − τ_b)), at most 1/(1 − p). It does not compound over time. Where nothing costs anything runs is 1.
 */
export function estimateSpeedup(effect: AbortEffect): { runs: number; useful: number } {
  const { overhead, whole, bad, power, leftAtTrueAbort, falseAbort, leftAtFalseAbort } = effect;
  const alone = overhead + whole;
  const cost = alone - bad * power * leftAtTrueAbort - (1 - bad) * falseAbort * leftAtFalseAbort;
  const runs = cost > 0 ? alone / cost : 1;
  return { runs, useful: runs * (1 - falseAbort) };
}
