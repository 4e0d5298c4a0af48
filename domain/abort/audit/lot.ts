import { seedOf } from '../../trial/seed.ts';

/** Would-be aborts that are all audited before the share falls. */
export const AUDIT_FIRST = 30;
/** Share of would-be aborts that run on to the end after that. */
export const AUDIT_SHARE = 0.05;

export interface AuditPlan {
  first: number;
  share: number;
}

export const DEFAULT_AUDIT: AuditPlan = { first: AUDIT_FIRST, share: AUDIT_SHARE };

/** Probability that the next would-be abort is audited, after so many of them; its inverse is the audit's weight. */
export const auditProbability = (wouldBeAborts: number, plan: AuditPlan): number =>
  wouldBeAborts < plan.first ? 1 : plan.share;

/** Whether a trial's would-be abort is audited: a lot that only the seed and the trial decide, drawn once and again alike. */
export const isAudited = (key: { seed: number; trialId: string }, probability: number): boolean =>
  // FNV mixes its last bytes least; the second round spreads them.
  seedOf(String(seedOf(`${key.seed}/${key.trialId}`))) / 2 ** 31 < probability;
