import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Diff } from '../../../../../dashboard/api/trials/diff.ts';
import { Calls, Curve, Log, Trial } from '../../../../../dashboard/api/trials/trial.ts';
import { ROUTES } from '../../../../../dashboard/server/routes/table.ts';
import { calls, curve, diff, log, trial } from '../../../../../dashboard/server/routes/trials/trial.ts';
import { useReader } from '../../../../db/reads/page/support.ts';
import { useDashboard } from '../../support.ts';
import { readRoute, readData } from '../read-route.ts';

const bench = useReader((db) => seedResearch(db, { id: 'wild', trials: 90, hostile: true }));
const serve = useDashboard();

test('all answers for a hostile trial match the contract, and survive JSON', async () => {
  for (let n = 1; n <= 100; n += 3) {
    const input = { id: `wild/${n}` };
    const answers = [
      [Trial, await readData(bench.reader, trial, { input })],
      [Curve, await readData(bench.reader, curve, { input })],
      [Log, await readData(bench.reader, log, { input })],
      [Calls, await readData(bench.reader, calls, { input })],
      [Diff, await readData(bench.reader, diff, { input })],
    ] as const;
    for (const [schema, answer] of answers) {
      expect(schema.parse(answer)).toEqual(answer);
      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
    }
  }
});

test('an unknown trial has no answer from any route', async () => {
  for (const route of [trial, curve, log, calls])
    for (const id of ['wild/100000', 'nobody/1', 'wild', "'; drop table trials; --/1"])
      expect(await readRoute(bench.reader, route as typeof trial, { input: { id } })).toBeUndefined();
  expect(await readRoute(bench.reader, diff, { input: { id: 'wild/12', other: 'nobody/1' } })).toBeUndefined();
});

test('an id with a slash is one encoded segment of the address', async () => {
  const { get } = await serve({ databaseUrl: bench.url }, ROUTES);
  const whole = await get('api/v1/trial/wild%2F12');
  expect([whole.status, JSON.parse(whole.text)]).toMatchObject([200, { trialId: 'wild/12', temporalUrl: null }]);
  const compared = await get('api/v1/trial/wild%2F12/diff?other=wild%2F30');
  expect([compared.status, JSON.parse(compared.text)]).toMatchObject([200, { against: 'wild/30' }]);
  expect((await get('api/v1/trial/wild%2F100000')).status).toBe(404);
  expect((await get('api/v1/trial/wild%2F12/diff?against=worst')).status).toBe(400);
  expect((await get('api/v1/trial/wild%2F12?depth=2')).status).toBe(400);
});
