import { canTighten, type AbortRuleName } from '../names.ts';

/** Bets against the null; each is at most 1 / {@link AuditResult.target}, so wealth never falls below 0. */
const BETS = [1, 5, 15] as const;
/** Evidence from which a rule is tightened: under the null it is reached with probability at most 1/5. */
const TIGHTEN = 5;
/** Evidence from which it is switched off: at most 1/20. */
const OFF = 20;
const TIGHTENED = 2;

/** Wealth of each bet and the largest evidence so far; plain JSON. */
export interface Calibration {
  wealth: number[];
  largest: number;
  /** Good runs that were seen, and how many of them the rule had wanted to abort. */
  good: number;
  missed: number;
}

/** A run that went to its end: a survivor, or an audited would-be abort. */
export interface AuditResult {
  /** It beat the incumbent that it was judged by. */
  good: boolean;
  /** Probability with which its would-be abort was audited; null for a run that the rule let live. */
  auditProbability: number | null;
  /** Share of good runs that may be aborted; at most 1/15. */
  target: number;
}

export const NOT_AUDITED: Calibration = { wealth: BETS.map(() => 1), largest: 1, good: 0, missed: 0 };

/**
 * The process after one more run. Null: of runs that end well, the rule aborts at most `target`. A good survivor counts
 * −target, a good audited run (1 − target)/p with its audit probability p: the mean of that is at most 0 under the null
 * whatever p was, because unaudited aborts are weighed by those that were audited. Wealth 1 + λ·payoff is then a
 * non-negative supermartingale, their mean too, and by Ville's inequality (Ville 1939; Waudby-Smith and Ramdas 2024, §4)
 * it ever reaches 1/δ with probability at most δ: it may be looked at after every run.
 */
export function afterRun(state: Calibration, { good, auditProbability, target }: AuditResult): Calibration {
  if (!good) return state;
  const payoff = auditProbability === null ? -target : (1 - target) / auditProbability;
  const wealth = state.wealth.map((money, i) => money * (1 + (BETS[i] ?? 0) * payoff));
  const evidence = wealth.reduce((sum, money) => sum + money, 0) / wealth.length;
  return {
    wealth,
    largest: Math.max(state.largest, evidence),
    good: state.good + 1,
    missed: state.missed + (auditProbability === null ? 0 : 1),
  };
}

/**
 * What the evidence asks for: how strict the rule is to be from now on (null: off), and a note for people. A rule that
 * cannot be made stricter goes off where another is tightened.
 */
export function trust(
  { largest, good, missed }: Calibration,
  rule: AbortRuleName,
): { strictness: number | null; note: string | null } {
  if (largest < TIGHTEN) return { strictness: 1, note: null };
  const seen = `${missed} of ${good} runs that ended well would have been aborted`;
  if (largest >= OFF) return { strictness: null, note: `early abort is off: ${seen}` };
  if (!canTighten(rule))
    return { strictness: null, note: `early abort is off: ${seen}, and ${rule} cannot ask for more evidence` };
  return { strictness: TIGHTENED, note: `early abort asks for twice the evidence: ${seen}` };
}
