import { eq } from 'drizzle-orm';
import { settle } from '../../../activities/outcome/settle.ts';
import { structureOf } from '../../../activities/propose/structure-of.ts';
import * as schema from '../../../db/schema.ts';
import { FURTHEST, type Observations, type ObservationLimits } from '../../../domain/search/observations.ts';
import { Task } from '../../../domain/task/task.ts';
import type { TrialStatus } from '../../../domain/trial.ts';
import { insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import type { Bench } from '../../db/support.ts';

/** The key of the only knob. */
export const KNOB = 'train.mjs:LR';

const KNOBS = [{ file: 'train.mjs', name: 'LR', type: 'float' as const, range: [0, 100] as [number, number] }];

export const fileWith = (lr: number) => ({ 'train.mjs': `const LR = ${lr};\n` });
/** The structure of all candidates. */
export const STRUCTURE = structureOf(Task.parse({ ...TASK, knobs: KNOBS }).knobs, fileWith(1));
export const candidateOf = (id: string, lr: number) => ({ id: `${id}-${lr}`, immutableHash: 'i', files: fileWith(lr) });
export const lrs = (all: readonly { knobs: Readonly<Record<string, unknown>> }[]) =>
  all.map(({ knobs }) => knobs[KNOB]);

/** Researches on a task whose only knob is LR. */
export const knobResearch = (bench: Bench) => ({
  /** A research under that version of the task. */
  open: async (id: string, taskHash = 'knobby'): Promise<void> => {
    const task = Task.parse({ ...TASK, knobs: KNOBS });
    const version = { name: 'toy', task, yaml: '', stageHash: 's', evaluatorHash: 'e', metricKey: 'm' };
    await insertResearch(bench.db, id);
    await bench.db
      .insert(schema.taskVersions)
      .values({ ...version, hash: taskHash, immutableHash: 'i', mutablePaths: ['train.mjs'] })
      .onConflictDoNothing();
    await bench.db.update(schema.researches).set({ taskHash }).where(eq(schema.researches.id, id));
  },

  /** A proposal of that value, stored as every proposer stores it. */
  propose: async (id: string, n: number, lr: number, taskHash = 'knobby'): Promise<void> => {
    await storeTrials(bench.db, trialRow(id, n, { proposer: 'random', taskHash }));
    await bench.store.trial.saveProposal({
      trialId: `${id}/${n}`,
      candidate: candidateOf(id, lr),
      knobs: { [KNOB]: lr },
      structure: STRUCTURE,
      hypothesis: '',
      expectedDelta: null,
      edits: [],
      runsBefore: 0,
    });
  },

  end: (id: string, n: number, value: number | null, status: TrialStatus = 'completed') =>
    settle(bench.store, {
      trialId: `${id}/${n}`,
      researchId: id,
      status,
      value,
      metrics: {},
      evaluatorNotes: null,
      trusted: true,
      failure: status === 'completed' ? null : { label: 'exit-code', message: 'it failed' },
    }),

  read: (
    id: string,
    more: Partial<{ reach: ObservationLimits; direction: Observations['direction']; taskHash: string }> = {},
  ) =>
    bench.store.trial.readObservations({
      researchId: id,
      taskHash: 'knobby',
      direction: 'minimize',
      reach: FURTHEST,
      ...more,
    }),
});
