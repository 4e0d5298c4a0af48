import { and, eq, inArray, isNull, ne, notInArray, or, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';
import { PREFLIGHT_FAILURES } from '../../domain/trial.ts';
import { blobs, candidates, researches, taskVersions, trials } from '../schema.ts';
import { insertBlobs } from '../blobs.ts';
import { candidateRows, insertCandidate, type NewCandidate } from './candidate.ts';
import { countEnded } from './count-ended.ts';
import type { Research } from '../research/research.ts';
import { inSearch } from './in-search.ts';

export type Trial = typeof trials.$inferSelect;

/** The trial's row; throws if there is none. */
export async function loadTrial(db: Tx, trialId: string): Promise<Trial> {
  const row = (await db.select().from(trials).where(eq(trials.id, trialId)))[0];
  if (!row) throw missing(trialId);
  return row;
}

/** The trial's row and its research's; throws if there is none. */
export async function loadTrialAndResearch(db: Tx, trialId: string): Promise<{ trial: Trial; research: Research }> {
  const rows = await db
    .select({ trial: trials, research: researches })
    .from(trials)
    .innerJoin(researches, eq(researches.id, trials.researchId))
    .where(eq(trials.id, trialId));
  if (!rows[0]) throw missing(trialId);
  return rows[0];
}

const missing = (trialId: string): Error => new Error(`Expected a trial ${trialId} in the database, found none`);

/**
 * Fixes a proposal's parent, proposer and context. The first attempt's choice stays, so a retry edits the same parent.
 */
export async function beginProposal(
  db: Tx,
  input: {
    trialId: string;
    researchId: string;
    parentId: string;
    parentReason: string;
    /** Island or cell that the parent was chosen for. */
    niche: string | null;
    proposer: string;
    proposerReason: string;
    proposerSettings: Readonly<Record<string, unknown>>;
    /** Key of the mixture's arm. */
    arm: string | null;
  } & Partial<Pick<Trial, 'operator' | 'operatorReason' | 'secondParentId'>>,
): Promise<Trial> {
  const rows = await db
    .update(trials)
    .set({
      parentId: sql`coalesce(${trials.parentId}, ${input.parentId})`,
      parentReason: sql`coalesce(${trials.parentReason}, ${input.parentReason})`,
      niche: sql`case when ${trials.parentId} is null then ${input.niche} else ${trials.niche} end`,
      proposer: sql`coalesce(${trials.proposer}, ${input.proposer})`,
      proposerReason: sql`case when ${trials.proposer} is null then ${input.proposerReason}
        else ${trials.proposerReason} end`,
      proposerSettings: sql`case when ${trials.proposer} is null then ${JSON.stringify(input.proposerSettings)}::jsonb
        else ${trials.proposerSettings} end`,
      arm: sql`case when ${trials.proposer} is null then ${input.arm} else ${trials.arm} end`,
      operator: sql`coalesce(${trials.operator}, ${input.operator ?? null})`,
      operatorReason: sql`coalesce(${trials.operatorReason}, ${input.operatorReason ?? null})`,
      secondParentId: sql`coalesce(${trials.secondParentId}, ${input.secondParentId ?? null})`,
      contextEnded: sql`coalesce(${trials.contextEnded}, ${countEnded(sql`${input.researchId}`)})`,
    })
    .where(eq(trials.id, input.trialId))
    .returning();
  if (!rows[0]) throw missing(input.trialId);
  return rows[0];
}

/** Replaces the choice of a trial without a proposal. Later calls get turns after those of the replaced choice. */
export async function changeProposer(
  db: Tx,
  {
    trialId,
    ...choice
  }: { trialId: string } & Pick<
    Trial,
    | 'parentId'
    | 'parentReason'
    | 'niche'
    | 'proposer'
    | 'proposerReason'
    | 'proposerSettings'
    | 'arm'
    | 'operator'
    | 'operatorReason'
    | 'secondParentId'
  >,
): Promise<Trial> {
  const rows = await db
    .update(trials)
    .set({ ...choice, firstTurn: sql`(select coalesce(max(turn) + 1, 0) from calls where trial_id = ${trialId})` })
    .where(and(eq(trials.id, trialId), isNull(trials.candidateId), isNull(trials.status)))
    .returning();
  return rows[0] ?? loadTrial(db, trialId);
}

export interface ProposalInput {
  trialId: string;
  candidate: NewCandidate;
  /** Candidate as it was proposed, if `candidate` stands for it. */
  proposedId?: string;
  hypothesis: string;
  expectedDelta: number | null;
  edits: unknown;
  /** Values of the task's knobs in its files. */
  knobs: KnobValues;
  /** Hash of its files without the literals of the knobs; null for a task without knobs. */
  structure: string | null;
  /** Name to store instead of the chosen proposer's, with the reason. */
  by?: { proposer: string; reason: string };
  /** Runs of its candidate before it, counted under the research's lock. */
  runsBefore: number;
}

/** Stores a proposal in one statement; the first attempt wins. Returns the stored trial. */
export async function saveProposal(db: Tx, input: ProposalInput): Promise<Trial> {
  const { candidate, contents } = candidateRows(input.candidate);
  const stored = db.$with('stored').as(insertBlobs(db, contents).returning({ hash: blobs.hash }));
  const kept = db.$with('kept').as(insertCandidate(db, candidate).returning({ id: candidates.id }));
  const observed = db.$with('observed', {}).as(insertKnobs(input));
  const rows = await db
    .with(stored, kept, observed)
    .update(trials)
    .set({
      candidateId: candidate.id,
      proposedId: input.proposedId,
      hypothesis: input.hypothesis,
      expectedDelta: input.expectedDelta,
      edits: input.edits,
      proposer: input.by?.proposer,
      proposerReason: input.by?.reason,
      runsBefore: input.runsBefore,
      readyAt: sql`now()`,
    })
    .where(and(eq(trials.id, input.trialId), isNull(trials.candidateId)))
    .returning();
  return rows[0] ?? loadTrial(db, input.trialId);
}

/**
 * Statement that stores the knob values of a proposal, unless the trial has a candidate already. A proposal of the
 * original stores no proposer.
 */
const insertKnobs = ({ trialId, candidate, knobs, structure, by }: ProposalInput) => sql`
  insert into observations (research_id, task_hash, candidate_id, knobs, structure, proposer)
  select research_id, trials.task_hash, ${candidate.id}, ${JSON.stringify(knobs)}::jsonb, ${structure},
    case when baseline_candidate <> ${candidate.id} then coalesce(${by?.proposer ?? null}, trials.proposer) end
  from trials join researches on researches.id = research_id where trials.id = ${trialId} and candidate_id is null
    and ${inSearch(sql`kind`)}
  on conflict (research_id, task_hash, candidate_id) do update
    set knobs = excluded.knobs, structure = excluded.structure where observations.knobs is null`;

/**
 * Condition: another trial of the same research and metric ran one of these candidates or is running it. A trial that
 * was stopped early has run; a trial that a machine lost or a person stopped has not. A value outside the bounds of an
 * earlier version of the task may lie within the bounds now, and a text that its checks rejected may pass now. A sample
 * of an evaluation does not count.
 */
export const ranInOtherTrial = (trial: Trial, candidateIds: readonly string[]) =>
  and(
    eq(trials.researchId, trial.researchId),
    inArray(trials.candidateId, [...candidateIds]),
    ne(trials.id, trial.id),
    inSearch(trials.kind),
    sql`coalesce(${trials.status}, 'running') not in ('lost', 'cached')`,
    sql`coalesce(${trials.failure}, '') <> 'stopped-by-operator'`,
    or(
      isNull(trials.failure),
      notInArray(trials.failure, ['metric-out-of-bounds', ...PREFLIGHT_FAILURES]),
      eq(trials.taskHash, trial.taskHash),
    ),
    sql`${taskVersions.metricKey} = (select metric_key from task_versions mine where mine.hash = ${trial.taskHash})`,
  );

/** A run of a candidate, without the long texts of its trial. */
export type CandidateRun = Pick<
  Trial,
  'id' | 'n' | 'kind' | 'status' | 'failure' | 'value' | 'seconds' | 'rewardParts' | 'rewardReason'
>;

/**
 * Other trials of the research that ran a candidate under the same metric, or are about to, in the order of their
 * numbers; some may have ended without a value. Trials that were lost or stopped by a person do not count. A caller
 * that decides by their number holds the research's lock.
 */
export async function findOtherRuns(db: Tx, trial: Trial): Promise<CandidateRun[]> {
  if (!trial.candidateId) return [];
  const { id, n, kind, status, failure, value, seconds, rewardParts, rewardReason } = trials;
  return db
    .select({ id, n, kind, status, failure, value, seconds, rewardParts, rewardReason })
    .from(trials)
    .innerJoin(taskVersions, eq(taskVersions.hash, trials.taskHash))
    .where(ranInOtherTrial(trial, [trial.candidateId]))
    .orderBy(trials.n);
}

/** Candidates that other trials, with lower or higher numbers, have run or are about to run. */
export async function findCandidatesAlreadyRun(
  db: Tx,
  input: { trial: Trial; candidateIds: readonly string[] },
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: trials.candidateId })
    .from(trials)
    .innerJoin(taskVersions, eq(taskVersions.hash, trials.taskHash))
    .where(ranInOtherTrial(input.trial, input.candidateIds));
  return rows.flatMap(({ id }) => id ?? []);
}

/**
 * Reports if a proposer outside `owned` made a candidate or one of its ancestors. The ancestors of an ablated claim's
 * variant are the claim and its ancestors. The research's baseline counts as the owner's even if a proposer proposed it
 * again.
 */
export async function hasForeignEdits(
  db: Tx,
  { researchId, candidateId, owned }: { researchId: string; candidateId: string; owned: readonly string[] },
): Promise<boolean> {
  const { rows } = await db.execute<{ written: boolean }>(sql`
    with recursive own as (select baseline_candidate as id from researches where id = ${researchId}),
    line(candidate_id, proposer) as (
      select id, null::text from (
        select ${candidateId}::text as id
        union
        select claims.candidate_id from wanted_runs w
        join claims on claims.research_id = w.research_id and claims.seq = (w.proposal ->> 'claim')::int
        where w.research_id = ${researchId} and w.kind = 'ablation' and w.candidate_id = ${candidateId}) start
      union
      select coalesce(made.parent_id, ''), made.proposer
      from line join trials made on made.candidate_id = line.candidate_id, own
      where made.research_id = ${researchId} and made.proposer is not null and line.candidate_id <> own.id)
    select exists (select 1 from line where proposer <> all(${sql.param([...owned])}::text[])) as written`);
  return rows[0]?.written === true;
}
