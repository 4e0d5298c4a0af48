import { asc, eq } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { shownWithSettings } from '../../domain/task/overrides.ts';
import { UnknownMethod } from '../../domain/method/unknown-method.ts';
import { DamagedRowError } from '../damaged.ts';
import { researches, taskVersions, type Phase } from '../schema.ts';
import { withValidGate } from '../stored-gate.ts';
import { toStoredTask } from '../task/task-version.ts';

const query = (db: Tx) =>
  db
    .select({
      research: researches,
      task: taskVersions.task,
      yaml: taskVersions.yaml,
      mutablePaths: taskVersions.mutablePaths,
    })
    .from(researches)
    .innerJoin(taskVersions, eq(taskVersions.hash, researches.taskHash))
    .$dynamic();

async function flat(db: Tx, row: Awaited<ReturnType<typeof query>>[number]) {
  const task = await toStoredTask(db, { ...row, hash: row.research.taskHash });
  return {
    ...withValidGate(row.research),
    ...phaseOf(row.research),
    task: shownWithSettings(task, row.research.settings),
    /** Proposer as requested; the settings have the resolved one. */
    proposerAsked: row.research.overrides.search?.['proposer'] ?? task.search.proposer,
    mutablePaths: row.mutablePaths,
  };
}

/**
 * Phase that includes a dead model endpoint, which is stored at once: the workflow reads it only when it reconciles.
 */
function phaseOf({ phase, reason, endpointDown }: typeof researches.$inferSelect): {
  phase: Phase;
  reason: string | null;
} {
  return { phase: phase === 'running' && endpointDown !== null ? 'waiting' : phase, reason: reason ?? endpointDown };
}

/** A research with its current task version. */
export type ResearchView = Awaited<ReturnType<typeof flat>>;

/** One research; undefined for an unknown id. */
export async function readResearch(db: Tx, input: { researchId: string }): Promise<ResearchView | undefined> {
  const rows = await query(db).where(eq(researches.id, input.researchId));
  return rows[0] && (await flat(db, rows[0]));
}

/**
 * Every research of this database, oldest first. `damaged`: those whose row this version cannot read, with the reason.
 */
export async function readResearches(db: Tx): Promise<{ sound: ResearchView[]; damaged: Damaged[] }> {
  const rows = await query(db).orderBy(asc(researches.createdAt), asc(researches.id));
  const sound: ResearchView[] = [];
  const damaged: Damaged[] = [];
  for (const row of rows) {
    try {
      sound.push(await flat(db, row));
    } catch (error) {
      if (!(error instanceof DamagedRowError || error instanceof UnknownMethod)) throw error;
      damaged.push({ id: row.research.id, message: error.message });
    }
  }
  return { sound, damaged };
}

export interface Damaged {
  id: string;
  message: string;
}

/** Stored phase of a research, even if this version cannot read the rest of the row; undefined for an unknown id. */
export async function readPhase(db: Tx, input: { researchId: string }): Promise<Phase | undefined> {
  const { id, phase } = researches;
  return (await db.select({ phase }).from(researches).where(eq(id, input.researchId)))[0]?.phase;
}

/** Ids of all researches, oldest first. */
export async function readResearchIds(db: Tx): Promise<string[]> {
  const { id, createdAt } = researches;
  return (await db.select({ id }).from(researches).orderBy(asc(createdAt), asc(id))).map((row) => row.id);
}
