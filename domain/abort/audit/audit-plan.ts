import { hashToSeed } from '../../trial/seed.ts';

/** Share of would-be aborts that are audited, so run on to the end, after the first ones, which all are. */
export const AUDIT_SHARE = 0.1;
/** Setting that derives the number of first audits from the trials that the research plans. */
export const BY_PLAN = 'auto';

/** Audit settings of a task. */
export interface AuditSettings {
  first: number | typeof BY_PLAN;
  share: number;
}

export interface AuditPlan {
  first: number;
  share: number;
}

/** First audits by planned trials, up to `trials`. Three cost a short research a tenth of its possible savings. */
const FIRST_BY_TRIALS = [
  { trials: 60, first: 3 },
  { trials: 150, first: 4 },
] as const;
/** First audits of a longer research, and of one without a limit. */
const MOST_FIRST = 5;

/** Number of first would-be aborts that are all audited, by planned trials; null: no limit. */
export const firstAudits = (trials: number | null): number =>
  FIRST_BY_TRIALS.find((row) => trials !== null && trials <= row.trials)?.first ?? MOST_FIRST;

/** Audit plan by planned trials; null: no limit. */
export const planAudit = ({ first, share }: AuditSettings, trials: number | null): AuditPlan => ({
  first: first === BY_PLAN ? firstAudits(trials) : first,
  share,
});

/** Audit plan of a research without a limit whose task has no audit settings. */
export const DEFAULT_AUDIT: AuditPlan = planAudit({ first: BY_PLAN, share: AUDIT_SHARE }, null);

/** Probability that the next would-be abort is audited, after so many earlier ones. Its inverse is the weight. */
export const auditProbability = (wouldBeAborts: number, plan: AuditPlan): number =>
  wouldBeAborts < plan.first ? 1 : plan.share;

/** True if a trial's would-be abort is audited. Only the seed and the trial decide the draw, so repeats agree. */
export const isAudited = (key: { seed: number; trialId: string }, probability: number): boolean =>
  // FNV mixes its last bytes least; the second round spreads them.
  hashToSeed(String(hashToSeed(`${key.seed}/${key.trialId}`))) / 2 ** 31 < probability;
