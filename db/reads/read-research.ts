import { asc, eq } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { shownWithSettings } from '../../domain/task/overrides.ts';
import { UnknownMethod } from '../../domain/method/unknown-method.ts';
import { DamagedRowError } from '../damaged.ts';
import { researches, taskVersions, type Phase } from '../schema.ts';
import { withValidGate } from '../stored-gate.ts';
import { storedTask } from '../stored-task.ts';

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

const flat = (row: Awaited<ReturnType<typeof query>>[number]) => {
  const task = storedTask({ ...row, hash: row.research.taskHash });
  return {
    ...withValidGate(row.research),
    ...phaseOf(row.research),
    task: shownWithSettings(task, row.research.settings),
    /** What was asked for; the settings have the one that it was resolved to. */
    proposerAsked: row.research.overrides.search?.['proposer'] ?? task.search.proposer,
    mutablePaths: row.mutablePaths,
  };
};

/** The workflow hears of a dead model endpoint only at its next look; whoever found it dead has written that down. */
function phaseOf({ phase, reason, endpointDown }: typeof researches.$inferSelect): {
  phase: Phase;
  reason: string | null;
} {
  return { phase: phase === 'running' && endpointDown !== null ? 'waiting' : phase, reason: reason ?? endpointDown };
}

/** A research with the task version that it runs now. */
export type ResearchView = ReturnType<typeof flat>;

/** One research; undefined for an unknown id. */
export async function readResearch(db: Tx, input: { researchId: string }): Promise<ResearchView | undefined> {
  const rows = await query(db).where(eq(researches.id, input.researchId));
  return rows[0] && flat(rows[0]);
}

/** Every research of this database, the oldest first; one whose row this version cannot read, by why. */
export async function readResearches(db: Tx): Promise<{ sound: ResearchView[]; damaged: Damaged[] }> {
  const rows = await query(db).orderBy(asc(researches.createdAt), asc(researches.id));
  const sound: ResearchView[] = [];
  const damaged: Damaged[] = [];
  for (const row of rows) {
    try {
      sound.push(flat(row));
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

/** The phase of a research as its workflow left it, whatever else of its row this version can read; undefined for an unknown id. */
export async function readPhase(db: Tx, input: { researchId: string }): Promise<Phase | undefined> {
  const { id, phase } = researches;
  return (await db.select({ phase }).from(researches).where(eq(id, input.researchId)))[0]?.phase;
}

/** The ids of all researches, the oldest first. */
export async function readResearchIds(db: Tx): Promise<string[]> {
  const { id, createdAt } = researches;
  return (await db.select({ id }).from(researches).orderBy(asc(createdAt), asc(id))).map((row) => row.id);
}
