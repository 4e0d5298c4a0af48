import { describe, expect, it } from 'vitest';
import { readStatus } from '../../../db/reads/read-status.ts';
import { researches, slots, taskVersions } from '../../../db/schema.ts';
import { statusJson } from '../../../cli/render/status-json.ts';
import { NO_OBSTACLE } from '../../../cli/temporal/read-temporal-state.ts';
import { insertStory, TASK } from '../../cli/support/lineage.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { useReader } from './page/support.ts';

const bench = useReader(async (db) => {
  await insertStory(db, 'toy');
  const slot = { pool: 'local', host: 'here', fence: 1 };
  await db.insert(slots).values([
    { ...slot, id: 'local/0', index: 0, state: 'leased' as const, jobId: 'toy/6' },
    { ...slot, id: 'local/1', index: 1 },
  ]);
});

it('is the whole view in plain JSON, with unit, gain, races, warnings and slots, unlike the contract', async () => {
  const research = await bench.researchOf('toy');
  const view = await readStatus(bench.db, { research });
  expect(view).toMatchObject({
    unit: 'bits',
    races: [],
    warnings: [],
    slots: { total: 2, leased: 1 },
    endpointDown: null,
    gain: { claim: { value: expect.closeTo(1.5, 10), gain: expect.closeTo(0.7, 10) } },
    activeSeconds: research.activeSeconds,
  });
  expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  const beside = ['own', 'endpointDown', 'unit', 'gain', 'races', 'warnings', 'slots', 'activeSeconds'];
  const contract = Object.fromEntries(Object.entries(view).filter(([name]) => !beside.includes(name)));
  expect(statusJson(view, NO_OBSTACLE)).toEqual({ ...contract, ...view.own, failing: [], temporalError: null });
});

describe('a claim outside the search space', () => {
  // The claim's file sets LR to 0.05.
  const lr = { file: 'train.mjs', name: 'LR', type: 'float' as const, range: [0.5, 1] as [number, number] };
  const outside = ['LR = 0.05 (allowed: 0.5 to 1)'];
  const knob: Knob = { ...lr, scale: 'linear', form: { original: '0.1' } };
  const readAs = async (change: Partial<typeof researches.$inferInsert>, knobs: Knob[] = [knob]) => {
    await bench.db.update(taskVersions).set({ task: { ...TASK, knobs } });
    await bench.db.update(researches).set(change);
    return readStatus(bench.reader, { research: await bench.researchOf('toy') });
  };

  it('is marked for the role of the dashboard', async () => {
    expect((await readAs({ proposer: 'random' })).best).toMatchObject({ outside });
  });

  it('is marked for that role if an older version stored the task', async () => {
    const { form: _, ...old } = knob;
    expect((await readAs({ proposer: 'random' }, [old])).best).toMatchObject({ outside });
  });

  it('is not marked if the proposer may leave the space', async () => {
    expect((await readAs({ proposer: 'llm' })).best).not.toHaveProperty('outside');
  });
});
