import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventsOnce } from '../../support/database/ledger.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { endServers } from '../../support/policy/end-servers.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import {
  ended,
  expectLearntOnce,
  expectLineage,
  expectRunsPerCandidate,
  FAKE_ENV,
  learningTask,
  updated,
} from './support.ts';

let stack: TestStack;
let worker: TestWorker;
const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 2, env: FAKE_ENV });
};
beforeAll(async () => {
  stack = await startTestStack();
  await restart();
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

test.each(FAULTS['worker-dies/local/policy'])(
  'a policy has each sample and each version once though its worker dies at %s',
  (killAt) => expectLearntOnce(stack, worker, { id: `dies-${killAt}`, killAt, restart }),
);

test.each(FAULTS['worker-dies-running-again/local/policy'])(
  'a policy runs no candidate too often, and each run once, though its worker dies at %s',
  async (killAt) => {
    const id = `dies-${killAt}`;
    const starts = join(stack.home, id);
    const command = `. ./knobs.env; echo "$PERPETUA_SEED" >> ${starts}; echo "$lr" > out.txt`;
    const update = { name: 'grpo', batch: 8, group: 4, gates: [] };
    const task = await learningTask(stack.home, id, { update, rerun: 2, run: { command } });
    worker.dieAt(killAt);
    await stack.startResearch(id, { task, budget: { proposals: 24 }, tempo: 0.05 });
    await worker.gone;
    await restart();
    await stack.until('the research to end', ended, [id]);
    await stack.until('its updates', updated, [id, 3]);
    await expectLineage(stack, id);
    await expectRunsPerCandidate(stack, id, 2);
    await expectEventsOnce(stack, id);
    const ran = await stack.query<{ seed: string }>(
      `select seed::text from trials where research_id = $1 and status = 'completed' order by seed::text`,
      [id],
    );
    const started = (await readFile(starts, 'utf8')).trim().split('\n').toSorted();
    expect(started).toEqual(ran.map(({ seed }) => seed).toSorted());
    const [spent] = await stack.query(
      `select (admitted->>'search')::int as given, (admitted->>'search')::int - (refunded->>'search')::int as counted
       from researches where id = $1`,
      [id],
    );
    expect(spent).toEqual({ given: 24, counted: ran.length - 1 });
  },
);
