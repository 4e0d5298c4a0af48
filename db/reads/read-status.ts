import { and, asc, eq, sql } from 'drizzle-orm';
import { staysInSpace } from '../../domain/search/outside-space.ts';
import { trialIdOf } from '../../domain/trial/ids.ts';
import { standingOf } from '../../view/standing.ts';
import { statusView, type StatusView } from '../../view/status.ts';
import type { CallRates } from '../../view/rows/rates.ts';
import type { SlotCounts, TrialCounts } from '../../view/trials.ts';
import type { Tx } from '../connect.ts';
import { readTogether } from '../read-together.ts';
import { trials } from '../schema.ts';
import { findOutside } from '../trial/outside-space.ts';
import { findTrust } from '../trial/trust.ts';
import { planOf } from './policy/plan-of.ts';
import { readLearning } from './policy/read-learning.ts';
import { createAbortTallyReader, type AbortTallyReader } from './status/abort-tally-reader.ts';
import { readArmViews } from './read-arm-views.ts';
import { readAlerts } from './status/read-alerts.ts';
import { readCompute } from './status/read-compute.ts';
import { readClaims } from './status/read-claims.ts';
import { readContention } from './status/read-contention.ts';
import { readCounts } from './status/read-counts.ts';
import { readFailedBaseline } from './status/read-failed-baseline.ts';
import { readLosingStreak } from './status/read-losing-streak.ts';
import { readQueue } from './status/read-queue.ts';
import { readRates } from './status/read-rates.ts';
import type { ResearchView } from './read-research.ts';
import { readWait } from './status/read-wait.ts';

/** Most alerts in a status. */
const ALERTS = 20;

interface Input {
  research: ResearchView;
  /** Readers of a caller that reads repeatedly: they keep what they have counted. */
  readTally?: AbortTallyReader;
  readKeptCounts?: (db: Tx, research: ResearchView) => Promise<TrialCounts>;
  readKeptRates?: (db: Tx, research: ResearchView) => Promise<CallRates | null>;
}

/** Status of a research, from Postgres alone. Its numbers are consistent if `db` is a repeatable read. */
export async function readStatus(db: Tx, input: Input): Promise<StatusView> {
  const { research, readTally = createAbortTallyReader(), readKeptCounts, readKeptRates } = input;
  const researchId = research.id;
  const counts = readKeptCounts ? await readKeptCounts(db, research) : await readCounts(db, { researchId });
  const standing = standingOf(research);
  const { baseline, claim, lead } = standing;
  const candidateIds = [baseline, claim, lead].flatMap((one) => (one ? [one.candidateId] : []));
  const reads = await readTogether(db, {
    trust: () => findTrust(db, { researchId, candidateIds }),
    outside: () => readOutside(db, { research, candidateIds }),
    bestTrialId: async () => claim && (await trialOf(db, { researchId, candidateId: claim.candidateId })),
    compute: async () => claim && (await readCompute(db, { research, candidateId: claim.candidateId })),
    waiting: () => readWait(db, { researchId }),
    queue: () => readQueue(db, { researchId }),
    slots: () => readSlots(db, { pool: research.task.run.resources.pool }),
    earlyAbort: () => readTally(db, { research, ended: counts.ended }),
    rates: () => (readKeptRates ? readKeptRates(db, research) : readRates(db, research)),
    losingStreak: () => readLosingStreak(db, { researchId }),
    failedBaseline: async () => (baseline === null ? await readFailedBaseline(db, research) : null),
    contention: () => readContention(db, { researchId }),
    learning: () => readLearning(db, { researchId, plan: planOf(research) }),
    arms: () => readArmViews(db, { researchId }),
    alerts: () => readAlerts(db, { researchId, limit: ALERTS }),
  });
  return statusView({ research, standing, counts, ...reads });
}

/** Candidates outside the search space of a research, unless its proposer is free to leave it. */
async function readOutside(
  db: Tx,
  { research, candidateIds }: { research: ResearchView; candidateIds: readonly string[] },
): Promise<Map<string, string[]>> {
  if (!staysInSpace(research)) return new Map();
  const { taskHash: hash, task, mutablePaths } = research;
  return findOutside(db, { candidateIds, version: { hash, task, mutablePaths } });
}

/** Numbers of a pool's slots and of its leased ones, over all researches, since a slot serves any of them. */
export async function readSlots(db: Tx, { pool }: { pool: string }): Promise<SlotCounts> {
  const found = await db.execute<{ total: number; leased: number }>(sql`
    select count(*) filter (where state <> 'retired' and (wanted or state = 'leased'))::int as total,
      count(*) filter (where state = 'leased')::int as leased
    from slots where pool = ${pool}`);
  return { total: found.rows[0]?.total ?? 0, leased: found.rows[0]?.leased ?? 0 };
}

/** Id of the search trial that the candidate's last claim confirmed; without a claim, of its first run. */
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
