import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endServers } from '../../support/policy/end-servers.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { FAKE_ENV, learningTask, readUpdates } from './support.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 3, env: FAKE_ENV });
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

test('a batch goes on without a run that does not end, whose outcome is kept and never learnt from', async () => {
  const gate = join(stack.home, 'gate');
  await writeFile(gate, '');
  const wait = `while [ -e ${gate} ]; do sleep 0.1; done`;
  // Holds the first run that is not the baseline's.
  const hold = `[ "$lr" = 0.002 ] || if mkdir ${gate}.first 2>/dev/null; then ${wait}; fi`;
  const task = await learningTask(stack.home, 'late', {
    update: { name: 'grpo', batch: 4, group: 4, gates: [], lateSeconds: 1 },
    run: { command: `. ./knobs.env; ${hold}; echo "$lr" > out.txt`, budget: { seconds: 300, kind: 'wall' } },
  });
  await stack.startResearch('late', { task, budget: { proposals: 8 }, tempo: 0.05 });
  await stack.until('an update', `select count(*) > 0 as done from updates where research_id = $1 and state = 'done'`, [
    'late',
  ]);
  const [held] = await stack.query<{ id: string }>(
    `select id from trials where research_id = 'late' and status is null and kind = 'search' order by n limit 1`,
  );
  const [first] = await readUpdates(stack, 'late');
  expect(first?.batch).not.toContain(held?.id);
  await rm(gate);
  await stack.until('the research to end', `select phase = 'stopped' as done from researches where id = $1`, ['late']);
  await stack.until(
    'its updates',
    `select count(*) = 2 as done from updates where research_id = $1 and state = 'done'`,
    ['late'],
  );
  const learnt = (await readUpdates(stack, 'late')).flatMap(({ batch }) => batch);
  expect(new Set(learnt).size).toBe(learnt.length);
  expect(learnt).not.toContain(held?.id);
  expect(
    await stack.query(
      `select t.status, t.reward is not null as rewarded, r.k, l->>'reason' ~ '^late: ' as told
       from trials t join rollouts r on r.trial_id = t.id join updates u on u.research_id = t.research_id and u.k = r.k,
         jsonb_array_elements(u.skipped) l where l->>'id' = t.id and t.id = $1`,
      [held?.id],
    ),
  ).toEqual([{ status: 'completed', rewarded: true, k: 1, told: true }]);
});
