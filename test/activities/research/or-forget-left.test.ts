import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { orForgetLeft } from '../../../activities/research/or-forget-left.ts';
import { readAlerts } from '../../../db/reads/status/read-alerts.ts';
import { type Left, NOTHING_LEFT } from '../../../domain/floor/left.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const left = { ...NOTHING_LEFT, paused: true, messages: [{ signal: 'note', arg: { text: 'try a smaller rate' } }] };
const REFUSED = ApplicationFailure.nonRetryable('no model', 'Refused');
const BEGUN_AGAIN = { runId: 'begun-again', after: 'old' };

const noteLeft = (workflowId: string, had: Left) =>
  bench.store.research.noteRestart({
    ...{ workflowId, type: 'research', runId: 'old', left: had },
    start: { args: {}, memo: {} },
  });

/** The message to a later run of the research, after one that ended as told, and its alerts. */
async function heardAfter(
  researchId: string,
  failure: Error,
  { run = BEGUN_AGAIN, had = left }: { run?: { runId: string; after?: string }; had?: Left } = {},
) {
  await insertResearch(bench.db, researchId);
  await noteLeft(researchId, had);
  const open = orForgetLeft(bench.store, { researchId, ...run }, () => Promise.reject(failure));
  await expect(open).rejects.toBe(failure);
  const alerts = (await readAlerts(bench.db, { researchId, limit: 9 })).map(({ message }) => message);
  return { heard: await bench.store.research.takeLeft({ researchId, runId: 'much-later' }), alerts };
}

test('what was left for a run that is refused is heard by no later one, and an alert names it', async () => {
  expect(await heardAfter('refused', REFUSED)).toEqual({
    heard: null,
    alerts: [expect.stringMatching(/has not heard: pause; note \{"text":"try a smaller rate"\}\. Once/)],
  });
});

test('where there is no room for all that was left the alert counts the others, and ends as always', async () => {
  const messages = Array.from({ length: 30 }, (_, n) => ({ signal: 'note', arg: { text: `${n} ${'x'.repeat(99)}` } }));
  const { heard, alerts } = await heardAfter('much', REFUSED, { had: { ...NOTHING_LEFT, messages } });
  expect(heard).toBeNull();
  expect(alerts).toEqual([expect.stringMatching(/; and 2\d more\. Once it goes on, send again what still holds$/)]);
});

test('what was left for a research that has no row, and no alert, stays', async () => {
  await noteLeft('unknown', left);
  const open = orForgetLeft(bench.store, { researchId: 'unknown', ...BEGUN_AGAIN }, () => Promise.reject(REFUSED));
  await expect(open).rejects.toBe(REFUSED);
  expect(await bench.store.research.takeLeft({ researchId: 'unknown', runId: 'much-later' })).toEqual(left);
});

test("a person's start that is refused takes nothing from the run that is still to be begun", async () => {
  expect(await heardAfter('of-a-person', REFUSED, { run: { runId: 'by-hand' } })).toEqual({ heard: left, alerts: [] });
});

test.each([
  ['an opening that is tried again', ApplicationFailure.retryable('newer', 'UnknownMethod')],
  ['a database that is away', new Error('connect ECONNREFUSED')],
])('what was left is kept over %s', async (name, failure) => {
  expect(await heardAfter(name, failure)).toEqual({ heard: left, alerts: [] });
});
