import { afterAll, beforeAll, expect, it } from 'vitest';
import { readResearch } from '../../../db/reads/read-research.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { slots } from '../../../db/schema.ts';
import { statusJson } from '../../../cli/render/status-json.ts';
import { NO_OBSTACLE } from '../../../cli/temporal/read-temporal-state.ts';
import { insertStory } from '../../cli/support/lineage.ts';
import { sharedServer, type Lineage } from '../../cli/support/database.ts';

let story: Lineage;

beforeAll(async () => {
  story = await sharedServer().open();
  await insertStory(story.db, 'toy');
  const slot = { pool: 'local', host: 'here', fence: 1 };
  await story.db.insert(slots).values([
    { ...slot, id: 'local/0', index: 0, state: 'leased' as const, jobId: 'toy/6' },
    { ...slot, id: 'local/1', index: 1 },
  ]);
});

afterAll(async () => {
  await story.close();
});

it('is the whole view in plain JSON, with unit, gain, races, warnings and slots, unlike the contract', async () => {
  const research = await readResearch(story.db, { researchId: 'toy' });
  if (!research) throw new Error('Expected the research toy, found none');
  const view = await readStatus(story.db, { research });
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
