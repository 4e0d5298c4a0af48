import { hashToSeed } from '../../trial/seed.ts';

/** Share of would-be aborts that run on to the end once the first ones have. */
export const AUDIT_SHARE = 0.1;
/** Lets what the research plans decide how many of the first would-be aborts all run on. */
export const BY_PLAN = 'auto';

/** How a task asks for audits. */
export interface AuditSettings {
  first: number | typeof BY_PLAN;
  share: number;
}

export interface AuditPlan {
  first: number;
  share: number;
}

/** Up to so many trials, so many first audits: three of a short research are a tenth of what it could save. */
const FIRST_BY_TRIALS = [
  { trials: 60, first: 3 },
  { trials: 150, first: 4 },
] as const;
/** Of a longer research, and of one without an end. */
const MOST_FIRST = 5;

/** How many would-be aborts are all audited in a research that plans so many trials; null: no limit. */
export const firstAudits = (trials: number | null): number =>
  FIRST_BY_TRIALS.find((one) => trials !== null && trials <= one.trials)?.first ?? MOST_FIRST;

/** The audit of a research that plans so many trials; null: no limit. */
export const planAudit = ({ first, share }: AuditSettings, trials: number | null): AuditPlan => ({
  first: first === BY_PLAN ? firstAudits(trials) : first,
  share,
});

/** The audit of a research without an end, where its task says nothing of it. */
export const DEFAULT_AUDIT: AuditPlan = planAudit({ first: BY_PLAN, share: AUDIT_SHARE }, null);

/** Probability that the next would-be abort is audited, after so many of them; its inverse is the audit's weight. */
export const auditProbability = (wouldBeAborts: number, plan: AuditPlan): number =>
  wouldBeAborts < plan.first ? 1 : plan.share;

/** Whether a trial's would-be abort is audited: a lot that only the seed and the trial decide, drawn once and again alike. */
export const isAudited = (key: { seed: number; trialId: string }, probability: number): boolean =>
  // FNV mixes its last bytes least; the second round spreads them.
  hashToSeed(String(hashToSeed(`${key.seed}/${key.trialId}`))) / 2 ** 31 < probability;
