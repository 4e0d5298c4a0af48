import { describe, expect, test } from 'vitest';
import { taskVersions } from '../../../db/schema.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from './support.ts';

const bench = useDatabase();

/** A research of the toy task, and another version of it. */
async function prepare(id: string, metricKey: string) {
  await insertResearch(bench.db, id);
  const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e' };
  await bench.db.insert(taskVersions).values({ ...names, hash: id, task: TASK, metricKey, mutablePaths: [] });
  const baseline = { id: `${id}-baseline`, immutableHash: 'i', files: {} };
  const research = await bench.store.findResearch(id);
  if (!research) throw new Error(`Expected a research ${id}`);
  const config = research.gateConfig;
  return { researchId: id, taskHash: id, baseline, gate: { config, ...openGate(config, baseline.id) } };
}

describe('a change of task', () => {
  test('that dropped the incumbent says so again when it is repeated under its key, and changes nothing more', async () => {
    const input = { ...(await prepare('dropped', 'other')), key: 'run/1' };
    expect(await bench.store.changeTask(input)).toEqual({ keptIncumbent: false });
    const after = await bench.store.findResearch('dropped');
    const stores = Array.from({ length: 4 }, () => bench.another());
    for (const answer of await Promise.all(stores.map((store) => store.changeTask(input))))
      expect(answer).toEqual({ keptIncumbent: false });
    expect(await bench.store.findResearch('dropped')).toEqual(after);
  });

  test('under another key, to the version that it runs now, keeps the incumbent; the first key is forgotten', async () => {
    const input = await prepare('again', 'other');
    expect(await bench.store.changeTask({ ...input, key: 'run/1' })).toEqual({ keptIncumbent: false });
    expect(await bench.store.changeTask({ ...input, key: 'run/2' })).toEqual({ keptIncumbent: true });
    expect((await bench.store.findResearch('again'))?.lastChange).toEqual({ key: 'run/2', keptIncumbent: true });
  });

  test('with the same metric and evaluator keeps the incumbent, with a key or without', async () => {
    const input = await prepare('kept', 'm');
    expect(await bench.store.changeTask(input)).toEqual({ keptIncumbent: true });
    expect(await bench.store.findResearch('kept')).toMatchObject({ taskHash: 'kept', lastChange: null });
    expect(await bench.store.changeTask({ ...input, key: 'run/1' })).toEqual({ keptIncumbent: true });
  });
});
