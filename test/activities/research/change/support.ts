import { eq } from 'drizzle-orm';
import { researches, taskFiles, taskVersions } from '../../../../db/schema.ts';
import { advance, openGate } from '../../../../domain/gate/gate.ts';
import { settingsOf } from '../../../../domain/task/overrides.ts';
import { BASELINE, CONFIG, insertResearch, TASK } from '../../../cli/support/lineage.ts';
import type { useDatabase } from '../../../db/support.ts';

const TEXT = 'const LR = 0.1;\n';

/**
 * Inserts a research of the toy task with one baseline run of `value`, and another version of the task with the same
 * files. Returns the input of a change to that version.
 */
export const changeOn =
  (bench: ReturnType<typeof useDatabase>) =>
  async (id: string, metricKey: string, mutablePaths = ['train.mjs'], value: number | null = 2) => {
    const opened = await insertResearch(bench.db, id);
    const run = { kind: 'baseline' as const, candidateId: BASELINE, parentId: null, ofTrial: null, seed: 1, value };
    const { state: gate } = advance(CONFIG, opened, { ...run, n: 1 });
    await bench.db.update(researches).set({ gate }).where(eq(researches.id, id));
    const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e' };
    await bench.db.insert(taskVersions).values({ ...names, hash: id, task: TASK, metricKey, mutablePaths });
    const files = await bench.db.select().from(taskFiles).where(eq(taskFiles.taskHash, 'task-1'));
    await bench.db.insert(taskFiles).values(files.map((file) => ({ ...file, taskHash: id })));
    const baseline = { id: `${id}-baseline`, immutableHash: 'i', files: { 'train.mjs': TEXT } };
    const research = await bench.store.research.findResearch(id);
    if (!research) throw new Error(`Expected a research ${id}`);
    const config = research.gateConfig;
    const method = { settings: settingsOf(TASK), settingsHash: 'settings', unfit: [] };
    const location = { task: '/tasks/toy', workspace: '/tasks/toy/workspace' };
    const gateInput = { config, ...openGate(config, baseline.id) };
    return { researchId: id, taskHash: id, baseline, location, method, gate: gateInput };
  };
