import { and, asc, eq } from 'drizzle-orm';
import type { AbortTally } from '../../domain/abort/audit/tally.ts';
import { trialIdOf } from '../../domain/ids.ts';
import type { LosingStreak } from '../../domain/losing-streak.ts';
import type { Tx } from '../connect.ts';
import { trials, type Phase } from '../schema.ts';
import { findTrust } from '../trial/trust.ts';
import { createAbortReader, type AbortReader } from './abort-reader.ts';
import { readAlerts, type Alert } from './read-alerts.ts';
import { budgetUseOf, type BudgetUse } from './budget-use.ts';
import { readClaims } from './read-claims.ts';
import { readCounts, type Counts } from './read-counts.ts';
import { readLosingStreak } from './read-losing-streak.ts';
import { readQueue, type Queue } from './read-queue.ts';
import { readSpent, type Spent } from './read-spent.ts';
import { phaseWith, readWait, type Wait } from './read-wait.ts';
import type { ResearchView } from './read-research.ts';
import { standingOf } from './standing.ts';

/** Alerts that the status has at most. */
const ALERTS = 20;

/**
 * What `perpetua status --json` prints of Postgres; a contract. Values are in the metric's unit, sd is that of one run; what
 * is `trusted` has no score that the candidate could have written itself.
 */
export interface Status {
  workflowId: string;
  task: string;
  phase: Phase;
  reason: string | null;
  /** `random` or `llm`. */
  proposer: string;
  /** `optimum`: the best possible value, where the task knows it. */
  metric: { name: string; direction: 'minimize' | 'maximize'; optimum: number | null };
  /** Null until it is measured. */
  baseline: { value: number; sd: number | null; n: number; trusted: boolean } | null;
  /** The incumbent: the last claim, or the unmodified workspace before the first one. Null until that is measured. */
  best: { trialId: string | null; candidateId: string; value: number; trusted: boolean } | null;
  /** Where the search stands, which is no claim; null where that is the best. */
  lead: {
    trialId: string | null;
    candidateId: string;
    value: number;
    n: number;
    /** As the gate believes it, shrunken for selection. */
    estimate: number | null;
    trusted: boolean;
    waitsFor: string | null;
  } | null;
  trials: Omit<Counts, 'verdicts'>;
  verdicts: Counts['verdicts'];
  window: number | null;
  /** What trials wait for that are ready; null where none waits for a slot. */
  queue: Queue | null;
  /** What trials wait for on slots that they hold; null where none does. Where nothing else gets on, the phase is `waiting`. */
  wait: Wait | null;
  spend: Spent;
  budget: BudgetUse;
  /** Null where no run was judged. */
  earlyAbort: AbortTally | null;
  /** Null where the last trials did not all fail. */
  losingStreak: LosingStreak | null;
  /** The newest first. */
  alerts: Alert[];
}

/** Where a research stands, from Postgres alone. Who looks again and again keeps a reader of the tally. */
export async function readStatus(db: Tx, input: { research: ResearchView; readTally?: AbortReader }): Promise<Status> {
  const { research, readTally = createAbortReader() } = input;
  const { metric } = research.task;
  const { verdicts, ...counts } = await readCounts(db, { researchId: research.id });
  const { baseline, claim, lead } = standingOf(research);
  const candidateIds = [baseline, claim, lead].flatMap((one) => (one ? [one.candidateId] : []));
  const trust = await findTrust(db, { researchId: research.id, candidateIds });
  const trusted = ({ candidateId }: { candidateId: string }): boolean => trust.get(candidateId) ?? true;
  const waiting = await readWait(db, { researchId: research.id });
  return {
    workflowId: research.id,
    task: research.task.name,
    ...phaseWith({ phase: research.phase, reason: research.reason ?? research.endpointDown }, waiting),
    proposer: research.proposer,
    metric: { name: metric.name, direction: metric.direction, optimum: metric.optimum ?? null },
    baseline: baseline && { value: baseline.value, sd: baseline.sd, n: baseline.n, trusted: trusted(baseline) },
    best: claim && {
      trialId: await trialOf(db, { researchId: research.id, candidateId: claim.candidateId }),
      candidateId: claim.candidateId,
      value: claim.value,
      trusted: trusted(claim),
    },
    lead: lead && {
      trialId: lead.ofTrial === null ? null : trialIdOf(research.id, lead.ofTrial),
      candidateId: lead.candidateId,
      value: lead.value,
      n: lead.n,
      estimate: lead.estimate,
      trusted: trusted(lead),
      waitsFor: lead.waitsFor,
    },
    trials: counts,
    verdicts,
    window: research.window,
    queue: await readQueue(db, { researchId: research.id }),
    wait: waiting.wait,
    spend: await readSpent(db, research),
    budget: budgetUseOf(research),
    earlyAbort: await readTally(db, { research, ended: counts.ended }),
    losingStreak: await readLosingStreak(db, { researchId: research.id }),
    alerts: await readAlerts(db, { researchId: research.id, limit: ALERTS }),
  };
}

/** The search trial that the last claim of the candidate confirmed; without a claim, the first run of it. */
async function trialOf(db: Tx, input: { researchId: string; candidateId: string }): Promise<string | null> {
  const claim = (await readClaims(db, input)).findLast((one) => one.candidateId === input.candidateId);
  if (claim?.ofTrial) return trialIdOf(input.researchId, claim.ofTrial);
  const rows = await db
    .select({ id: trials.id })
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), eq(trials.candidateId, input.candidateId)))
    .orderBy(asc(trials.n))
    .limit(1);
  return rows[0]?.id ?? null;
}
