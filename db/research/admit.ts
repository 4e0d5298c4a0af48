import { and, eq, inArray, sql } from 'drizzle-orm';
import { allowance, spendOf } from '../../domain/budget.ts';
import { earlyProposals } from '../../domain/gate/gate.ts';
import { trialIdOf } from '../../domain/ids.ts';
import { nothingButFailures } from '../../domain/losing-streak.ts';
import { LONGEST_SECONDS, paceSeconds } from '../../domain/pace.ts';
import { seedOf } from '../../domain/seed.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import type { Db, Tx } from '../connect.ts';
import { readCounts } from '../reads/read-counts.ts';
import { researches, taskVersions, trials, wantedRuns } from '../schema.ts';
import { type Board, boardOf, VERDICTS } from './board.ts';
import { countInARow, findRecent } from './recent.ts';
import { findAdmission, findWants, lockResearch, type Research } from './research.ts';

export interface AdmitInput {
  researchId: string;
  /** Names this admission: repeated, it returns the trials that it made. */
  key: string;
  /** Trials that the window has room for. */
  room: number;
  /** Trials that may be under way at once. */
  window?: number;
  activeSeconds: number;
  /** False while no new proposal may start (endpoint down, draining). */
  proposals: boolean;
}

export interface Admitted {
  trials: TrialSpec[];
  /** Why no new proposal may start, in words; null while some may. */
  spent: string | null;
  /** True when the budget forbids any run, wanted ones too. */
  exhausted: boolean;
  /** Runs are wanted, and wait since machines lose what they are given; false where that has gone on for long. */
  held: boolean;
  endpointDown: string | null;
  board: Board;
  /** Who proposes now. */
  proposer: string;
  /** Seconds to wait before the next new proposal. */
  paceSeconds: number;
}

/** Gives trial numbers to what shall run next: runs the gate asked for first, then new proposals within the budget. */
export async function admit(db: Db, input: AdmitInput): Promise<Admitted> {
  return db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    const before = await findAdmission(tx, input);
    const activeSeconds = Math.max(input.activeSeconds, research.activeSeconds);
    const left = allowance(research.budget, spendOf({ ...research, activeSeconds }));
    const recent = await findRecent(tx, { researchId: research.id, limit: VERDICTS });
    const { worthless, lost } = await countInARow(tx, research.id);
    const window = input.window ?? input.room;
    const lossPace = paceSeconds({ inARow: lost, window });
    const state = {
      spent: left.spent && left.spent + (await nothingCame(tx, research.id)),
      exhausted: left.exhausted !== null,
      endpointDown: research.endpointDown,
      proposer: research.proposer,
      board: await boardOf(tx, research, recent),
      paceSeconds: Math.max(lossPace, paceSeconds({ inARow: worthless, window })),
      held: false,
    };
    if (before.length > 0) return { trials: before, ...state };

    // Runs that the gate wants go on while proposals wait, but not where machines lose whatever they are given.
    const held = lossPace > 0 && !input.proposals;
    const most =
      input.proposals && !left.spent ? await mostSearches(tx, research, { room: input.room, left: left.trials }) : 0;
    const beside = Math.min(most, await proposalsBeside(tx, research, { left: left.trials, window }));
    const limit = left.exhausted || held ? 0 : input.room - beside;
    const next = { research, pool: await poolOf(tx, research.taskHash) };
    const specs = await wantedSpecs(tx, next, limit);
    const searches = Math.min(input.room - specs.length, most);
    for (let i = 0; i < searches; i += 1) specs.push(searchSpec(next, specs.length));
    await insertTrials(tx, research, { input, specs });
    const isWanted =
      held &&
      lossPace < LONGEST_SECONDS &&
      !left.exhausted &&
      (await findWants(tx, { researchId: research.id, limit: 1 })).length > 0;
    return { ...state, trials: specs, held: isWanted };
  });
}

/** To say at the end of a budget that bought nothing: a research of which every trial failed did not just end. */
async function nothingCame(tx: Tx, researchId: string): Promise<string> {
  const { byStatus, running } = await readCounts(tx, { researchId });
  const failed = running > 0 ? null : nothingButFailures(byStatus);
  return failed === null ? '' : `; every trial failed (${failed})`;
}

/** New proposals that budget and endpoint allow. */
async function mostSearches(
  tx: Tx,
  research: Research,
  { room, left }: { room: number; left: number | null },
): Promise<number> {
  const most = research.endpointDown ? await probes(tx, research.id) : room;
  return Math.min(room, left ?? room, most);
}

/** Proposals that are due although baseline runs are wanted. */
async function proposalsBeside(
  tx: Tx,
  research: Research,
  { left, window }: { left: number | null; window: number },
): Promise<number> {
  if (!research.gate.calibrating) return 0;
  const found = await tx.execute<{ waiting: number; injected: number; begun: number }>(sql`
    select
      count(*) filter (where kind = 'baseline')::int as waiting,
      count(*) filter (where kind = 'injected')::int as injected,
      (select count(*)::int from trials where research_id = ${research.id} and task_hash = ${research.taskHash}
         and kind = 'search') as begun
    from wanted_runs where research_id = ${research.id} and n is null`);
  const { waiting = 0, injected = 0, begun = 0 } = found.rows[0] ?? {};
  // Where baseline runs are paid from the same budget, those that are wanted come first.
  const rest = left === null ? null : left - (research.budget.counts.includes('baseline') ? waiting : 0);
  return earlyProposals(research.gate, { waiting, injected, begun, left: rest, window });
}

/** While the model endpoint is down one proposal is kept under way: it is what notices that the endpoint is back. */
async function probes(tx: Tx, researchId: string): Promise<number> {
  const open = await tx.execute(
    sql`select 1 from trials where research_id = ${researchId} and status is null and kind = 'search' and candidate_id is null limit 1`,
  );
  return open.rows.length > 0 ? 0 : 1;
}

/** What trials that are admitted now are of. */
interface Next {
  research: Research;
  pool: string;
}

/** Of the task as it is now: the workflow may have asked before the task was changed. */
async function poolOf(tx: Tx, taskHash: string): Promise<string> {
  const [version] = await tx
    .select({ task: taskVersions.task })
    .from(taskVersions)
    .where(eq(taskVersions.hash, taskHash));
  if (!version) throw new Error(`Expected task version ${taskHash} to be stored`);
  return version.task.run.resources.pool;
}

const base = ({ research, pool }: Next, offset: number) => {
  const n = research.lastN + 1 + offset;
  const trialId = trialIdOf(research.id, n);
  return { trialId, n, seed: seedOf(trialId), taskHash: research.taskHash, pool };
};

const searchSpec = (next: Next, offset: number): TrialSpec => ({
  ...base(next, offset),
  kind: 'search',
  candidateId: null,
  ofTrial: null,
});

async function wantedSpecs(tx: Tx, next: Next, limit: number): Promise<TrialSpec[]> {
  const { research } = next;
  const wants = await findWants(tx, { researchId: research.id, limit });
  const specs = wants.map(({ kind, candidateId, ofTrial }, offset) => ({
    ...base(next, offset),
    kind,
    candidateId,
    ofTrial,
  }));
  for (const [offset, want] of wants.entries())
    await tx
      .update(wantedRuns)
      .set({ n: research.lastN + 1 + offset })
      .where(eq(wantedRuns.id, want.id));
  return specs;
}

async function insertTrials(
  tx: Tx,
  research: Research,
  { input, specs }: { input: AdmitInput; specs: TrialSpec[] },
): Promise<void> {
  if (specs.length === 0) return;
  await tx.insert(trials).values(
    specs.map(({ trialId, ...spec }) => ({
      id: trialId,
      researchId: research.id,
      admission: input.key,
      ...spec,
      ...(spec.candidateId ? { readyAt: sql`now()` } : {}),
    })),
  );
  await tx
    .update(researches)
    .set({
      lastN: research.lastN + specs.length,
      admitted: countedIn(research.admitted, specs),
      // The workflow writes its phase only when all of them have started.
      ...(research.phase === 'starting' ? { phase: 'running' as const } : {}),
    })
    .where(eq(researches.id, research.id));
  await copyProposals(tx, research.id, specs);
}

function countedIn(admitted: Research['admitted'], specs: TrialSpec[]): Research['admitted'] {
  const counted = { ...admitted };
  for (const { kind } of specs) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
}

/** An injected run is a proposal by a person: its candidate and words were stored when it was asked for. */
async function copyProposals(tx: Tx, researchId: string, specs: TrialSpec[]): Promise<void> {
  const injected = specs.filter((spec) => spec.kind === 'injected').map((spec) => spec.n);
  if (injected.length === 0) return;
  const wants = await tx
    .select({ n: wantedRuns.n, proposal: wantedRuns.proposal })
    .from(wantedRuns)
    .where(and(eq(wantedRuns.researchId, researchId), inArray(wantedRuns.n, injected)));
  for (const want of wants)
    if (want.n !== null) {
      const proposal = want.proposal as { parentId: string; hypothesis: string };
      await tx
        .update(trials)
        .set({ proposer: 'person', parentId: proposal.parentId, hypothesis: proposal.hypothesis })
        .where(and(eq(trials.researchId, researchId), eq(trials.n, want.n)));
    }
}
