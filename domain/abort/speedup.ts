/**
 * Mean effect of early abort on one trial. Times are multiples of a run's budget; the other fields are probabilities.
 */
export interface AbortEffect {
  /** Time that a trial needs in addition to its run. */
  overhead: number;
  /** Mean time of a run that is left alone: 1 if every run takes its whole budget. */
  meanLength: number;
  /** P(bad): probability that a run would not beat the value to beat. */
  bad: number;
  /** P(abort | bad), and the mean time that these stopped runs would still have taken. */
  power: number;
  leftAtTrueAbort: number;
  /** P(abort | good), and the mean time that these stopped runs would still have taken. */
  falseAbort: number;
  leftAtFalseAbort: number;
}

/**
 * Estimates the gains over running every trial to its end.
 *
 * A trial costs o before its run. A run that is left alone takes ℓ on average over all runs. A run is bad with
 * probability p. A bad run is aborted with probability q, and would still have taken σ_b on average. A good run is
 * aborted with probability f, and would still have taken σ_g. A trial costs o plus its run's length, less what its
 * abort saves. By total expectation
 *
 *     E[cost] = o + ℓ − p·q·σ_b − (1 − p)·f·σ_g
 *
 * for any dependence between lengths, badness and aborts. In the long run (renewal reward theorem) trials per time are
 * 1/E[cost], against 1/(o + ℓ) without aborts:
 *
 *     runs   = (o + ℓ) / E[cost]        trials per slot time, relative
 *     useful = runs · (1 − f)           improvements kept per slot time, relative: of good runs 1 − f survive
 *
 * If every run takes its budget (ℓ = 1) and aborts come after a share τ of it, σ is 1 − τ. With o = f = 0 then
 * runs = 1 / (1 − p·q·(1 − τ_b)), at most 1/(1 − p). The gain does not compound over time. If E[cost] is 0, runs is 1.
 */
export function estimateSpeedup(effect: AbortEffect): { runs: number; useful: number } {
  const { overhead, meanLength, bad, power, leftAtTrueAbort, falseAbort, leftAtFalseAbort } = effect;
  const alone = overhead + meanLength;
  const cost = alone - bad * power * leftAtTrueAbort - (1 - bad) * falseAbort * leftAtFalseAbort;
  const runs = cost > 0 ? alone / cost : 1;
  return { runs, useful: runs * (1 - falseAbort) };
}
