import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';
import * as schema from '../../../db/schema.ts';
import { advance, openGate } from '../../../domain/gate/gate.ts';
import type { GateConfig, GateState } from '../../../domain/gate/types.ts';
import { Task } from '../../../domain/task/task.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { TRIAL_SPEC } from '../../../domain/job.ts';
import { PRIORITY } from '../../../domain/trial/priority.ts';

type Trial = typeof schema.trials.$inferInsert;

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const TASK = Task.parse({
  name: 'toy',
  description: 'a toy',
  mutable: ['train.mjs'],
  run: { command: 'node train.mjs', budget: { seconds: 1 } },
  metric: { name: 'loss', direction: 'minimize', unit: 'bits' },
  progress: { pattern: 'x', value: 'train loss' },
  evaluator: { type: 'artefact', command: 'node evaluate.mjs' },
});

export const CONFIG: GateConfig = {
  policy: 'strict',
  direction: 'minimize',
  minDelta: 0,
  falseKeepsPer200: 0.05,
  baselineRuns: 3,
  repeats: 1,
  followsLead: true,
};

export const BASELINE = hashOf('baseline');
export const WINNER = hashOf('winner');
export const BROKEN = hashOf('broken');

async function blob(db: Db, text: string): Promise<string> {
  const hash = hashOf(text);
  await db
    .insert(schema.blobs)
    .values({ hash, content: Buffer.from(text) })
    .onConflictDoNothing();
  return hash;
}

/** Stores the task with two workspace files, one of them executable, and two candidates. */
async function insertTask(db: Db): Promise<void> {
  await db
    .insert(schema.taskVersions)
    .values({
      hash: 'task-1',
      name: 'toy',
      task: TASK,
      yaml: 'name: toy',
      stageHash: 's',
      immutableHash: 'i',
      evaluatorHash: 'e',
      metricKey: 'm',
      mutablePaths: ['train.mjs'],
    })
    .onConflictDoNothing();
  const run = await blob(db, '#!/bin/sh\nnode train.mjs\n');
  const before = await blob(db, 'const LR = 0.1;\n');
  const after = await blob(db, 'const LR = 0.05;\n');
  const file = { taskHash: 'task-1', role: 'workspace' as const };
  await db
    .insert(schema.taskFiles)
    .values([
      { ...file, path: 'bin/run.sh', blobHash: run, executable: true },
      { ...file, path: 'train.mjs', blobHash: before, executable: false },
    ])
    .onConflictDoNothing();
  await db
    .insert(schema.candidates)
    .values([
      { id: BASELINE, immutableHash: 'i', files: { 'train.mjs': before } },
      { id: WINNER, immutableHash: 'i', files: { 'train.mjs': after } },
      { id: BROKEN, immutableHash: 'i', files: { 'train.mjs': await blob(db, 'const LR = 9;\n') } },
    ])
    .onConflictDoNothing();
}

/** Stores a research that has measured nothing yet; returns the state of its gate. */
export async function insertResearch(
  db: Db,
  id: string,
  more: Partial<typeof schema.researches.$inferInsert> = {},
): Promise<GateState> {
  await insertTask(db);
  const { state } = openGate(CONFIG, BASELINE);
  await db.insert(schema.researches).values({
    id,
    taskHash: 'task-1',
    proposer: 'random',
    phase: 'running',
    budget: TASK.budget,
    gateConfig: CONFIG,
    gate: state,
    baselineCandidate: BASELINE,
    ...more,
  });
  return state;
}

export const trialRow = (researchId: string, n: number, more: Partial<Trial> = {}): Trial => ({
  id: trialIdOf(researchId, n),
  researchId,
  n,
  kind: 'search',
  seed: 1000 + n,
  taskHash: 'task-1',
  pool: 'local',
  admission: `a${n}`,
  ...more,
});

/** Stores trials with their jobs, which are open if the trial has no end. */
export async function storeTrials(db: Db, trials: Trial | Trial[]): Promise<void> {
  const rows = [trials].flat();
  await db.insert(schema.jobs).values(rows.map(jobOf));
  await db.insert(schema.trials).values(rows);
}

const jobOf = ({ id, researchId, taskHash, pool, kind, status, createdAt, endedAt }: Trial) => ({
  id,
  kind: 'trial' as const,
  researchId,
  taskHash,
  pool,
  priority: PRIORITY[kind],
  spec: TRIAL_SPEC,
  openedAt: createdAt,
  endedAt: status ? (endedAt ?? new Date()) : null,
});

const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 1, 12, 0, seconds));

/** Stores three baseline runs (2.0, 2.2, 2.4), a kept search trial (1.5), a crashed one and a running one. */
export async function insertStory(db: Db, id: string): Promise<void> {
  let gate = await insertResearch(db, id, {
    window: 2,
    lastN: 6,
    admitted: { baseline: 3, search: 3 },
    slotSeconds: 21,
    createdAt: at(0),
  });
  const values = [2.0, 2.2, 2.4, 1.5];
  for (const [index, value] of values.entries()) {
    const n = index + 1;
    const search = n === 4;
    const kind = search ? ('search' as const) : ('baseline' as const);
    const candidateId = search ? WINNER : BASELINE;
    const parentId = search ? BASELINE : null;
    await storeTrials(db, [
      trialRow(id, n, {
        kind,
        candidateId,
        parentId,
        ...(search
          ? { proposer: 'random', hypothesis: 'LR 0.1 → 0.05', verdict: 'keep', reason: 'better than 2.2' }
          : { verdict: 'none' }),
        status: 'completed',
        value,
        metrics: { loss: value, odd: 'nan' },
        trusted: true,
        slotId: 'local/0',
        attempts: 1,
        startedAt: at(n * 10),
        endedAt: at(n * 10 + 5),
        seconds: 5,
      }),
    ]);
    const run = { n, kind, candidateId, parentId, ofTrial: null, seed: 1000 + n, value };
    const next = advance(CONFIG, gate, run);
    gate = next.state;
    if (next.claimed)
      await db.insert(schema.claims).values({ ...next.claimed, researchId: id, seq: 1, reason: 'better than 2.2' });
  }
  await db.update(schema.researches).set({ gate }).where(eq(schema.researches.id, id));
  await storeTrials(db, [
    trialRow(id, 5, {
      candidateId: BROKEN,
      parentId: WINNER,
      proposer: 'random',
      hypothesis: 'LR 0.05 → 9\x1b[31m',
      status: 'crashed',
      failure: 'exit-code',
      failureMessage: 'expected exit code 0, got 1',
      trusted: true,
      verdict: 'discard',
      slotId: 'local/0',
      attempts: 2,
      startedAt: at(50),
      endedAt: at(51),
      seconds: 1,
    }),
    trialRow(id, 6, { proposer: 'random', hypothesis: 'BATCH 8 → 16', createdAt: at(52), readyAt: at(52) }),
  ]);
}
