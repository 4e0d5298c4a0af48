import { and, eq, exists, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { advance, isGivenUp, pass } from '../../domain/gate/gate.ts';
import { encodeNumber, type EncodedNumber } from '../../domain/number.ts';
import type { Failure, TrialEnded, TrialStatus, Verdict } from '../../domain/trial.ts';
import { cleanText } from '../../domain/clean-text.ts';
import type { Db, Tx } from '../connect.ts';
import { researches, runs, trials, wantedRuns } from '../schema.ts';
import { incomparable } from '../research/comparable.ts';
import { loadTrial, type Trial } from './proposal.ts';
import { lockResearch, type Research, updateResearch } from '../research/research.ts';
import { storeAdvance, writeRuling } from '../research/store-advance.ts';
import { wantAgain } from '../research/want-again.ts';

export interface SettleInput {
  trialId: string;
  researchId: string;
  status: TrialStatus;
  failure: Failure | null;
  /** The metric; null unless completed. */
  value: number | null;
  metrics: Record<string, number>;
  evaluatorNotes: string | null;
  trusted: boolean;
  /** The attempt of `monitor` that scored, or that followed last before; undefined where nothing was scored. */
  by?: { placement: number; follower: number };
}

/**
 * Writes a trial's outcome, once, and lets the gate rule on it, under the research's row lock: two winners at once
 * cannot both win. Repeated, it returns what was stored first. Throws where a newer attempt follows the run.
 */
export async function settle(db: Db, input: SettleInput): Promise<TrialEnded> {
  return db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    const written = await writeOutcome(tx, input);
    if (!written) return endedOf(await loadEnded(tx, input.trialId), research.runId);
    const apart = await incomparable(tx, research, written);
    if (apart === null) await wantAgain(tx, written);
    return endedOf({ ...written, verdict: await rule(tx, research, { trial: written, apart }) }, research.runId);
  });
}

async function writeOutcome(tx: Tx, input: SettleInput): Promise<Trial | undefined> {
  const metrics: Record<string, EncodedNumber> = Object.fromEntries(
    Object.entries(input.metrics).map(([name, value]) => [cleanText(name), encodeNumber(value)]),
  );
  const rows = await tx
    .update(trials)
    .set({
      status: input.status,
      failure: input.failure?.label ?? null,
      failureMessage: input.failure ? cleanText(input.failure.message) : null,
      value: input.value,
      metrics,
      evaluatorNotes: input.evaluatorNotes === null ? null : cleanText(input.evaluatorNotes),
      trusted: input.trusted,
      verdict: 'none',
      // Not now(): that is when the transaction began, before it waited for the lock; verdicts fall in lock order.
      endedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(trials.id, input.trialId), isNull(trials.status), input.by && isFollowedBy(input.trialId, input.by)))
    .returning();
  return rows[0];
}

/**
 * An attempt that slept while another took the run over may have measured its own sleep; while another found that the machine
 * had failed the run, that.
 */
const isFollowedBy = (trialId: string, { placement, follower }: NonNullable<SettleInput['by']>) =>
  exists(
    sql`(select 1 from ${runs} where ${runs.trialId} = ${trialId} and ${runs.placement} = ${placement} and ${runs.follower} = ${follower} and ${runs.shortage} is null)`,
  );

async function loadEnded(tx: Tx, trialId: string): Promise<Trial> {
  const trial = await loadTrial(tx, trialId);
  if (trial.status === null) throw new Error(`a newer attempt follows ${trialId}: nothing was stored`);
  return trial;
}

/**
 * The gate hears of every ended trial of the current metric; what it rules may concern an earlier trial. Returns the
 * verdict on this one.
 */
async function rule(
  tx: Tx,
  research: Research,
  { trial, apart }: { trial: Trial; apart: string | null },
): Promise<Verdict> {
  if (!trial.candidateId || apart !== null) {
    const reason = trial.status === 'completed' && apart !== null ? apart : reasonOf(trial);
    await writeRuling(tx, research.id, { n: trial.n, verdict: 'none', reason });
    await updateResearch(tx, research.id, { gate: pass(research.gate, trial.n) });
    return 'none';
  }
  const advanced = advance(research.gateConfig, research.gate, {
    n: trial.n,
    kind: trial.kind,
    candidateId: trial.candidateId,
    parentId: trial.parentId,
    ofTrial: trial.ofTrial,
    seed: trial.seed,
    value: trial.status === 'completed' ? trial.value : null,
    censored: trial.status === 'lost' || trial.status === 'aborted',
    stopped: trial.failure === 'cannot-win',
  });
  const failed = { n: trial.n, verdict: verdictOfFailure(trial), reason: reasonOf(trial) };
  const rulings = trial.status === 'completed' ? advanced.rulings : [...advanced.rulings, failed];
  await storeAdvance(tx, research, { ...advanced, rulings });
  if (isGivenUp(advanced.state) && !isGivenUp(research.gate)) await withdrawBaseline(tx, research.id);
  return rulings.findLast((ruling) => ruling.n === trial.n)?.verdict ?? 'none';
}

/** Takes back the baseline runs that have no number yet. */
async function withdrawBaseline(tx: Tx, researchId: string): Promise<void> {
  const { n, kind } = wantedRuns;
  await tx.delete(wantedRuns).where(and(eq(wantedRuns.researchId, researchId), isNull(n), eq(kind, 'baseline')));
}

const verdictOfFailure = (trial: Trial) =>
  (trial.kind === 'search' || trial.kind === 'injected') &&
  trial.status !== 'aborted' &&
  trial.status !== 'lost' &&
  trial.status !== 'cached'
    ? ('discard' as const)
    : ('none' as const);

/** Why a trial ended without a value. */
function reasonOf({ status, failure, failureMessage, evaluatorNotes }: Trial): string {
  // Of which trial it is a copy, and what became of that one: the next proposal should know.
  const message = status === 'cached' ? evaluatorNotes : failureMessage;
  return `${status}${failure ? ` (${failure})` : ''}${message ? `: ${message}` : ''}`.slice(0, 1000);
}

/** What `research` is told of trials that have an outcome; those without one are left out. */
export async function findEnded(db: Tx, input: { researchId: string; ns: number[] }): Promise<TrialEnded[]> {
  if (input.ns.length === 0) return [];
  const rows = await db
    .select({ trial: trials, runId: researches.runId })
    .from(trials)
    .innerJoin(researches, eq(researches.id, trials.researchId))
    .where(and(eq(trials.researchId, input.researchId), inArray(trials.n, input.ns), isNotNull(trials.status)));
  return rows.map(({ trial, runId }) => endedOf(trial, runId));
}

function endedOf(trial: Trial, researchRun: string | null): TrialEnded {
  const since = (from: Date | null, to: Date | null) => (from && to ? (to.getTime() - from.getTime()) / 1000 : null);
  return {
    n: trial.n,
    status: trial.status ?? 'lost',
    verdict: trial.verdict ?? 'none',
    // A slot that stood free before the trial was even admitted waited for something else.
    slotWaitSeconds: lesser(trial.slotWaitSeconds, since(trial.createdAt, trial.startedAt)),
    readyWaitSeconds: since(trial.readyAt, trial.startedAt),
    proposeSeconds: trial.kind === 'search' ? since(trial.createdAt, trial.readyAt) : null,
    slotSeconds: trial.seconds,
    researchRun,
  };
}

const lesser = (a: number | null, b: number | null): number | null => (a === null || b === null ? a : Math.min(a, b));
