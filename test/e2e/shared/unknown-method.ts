import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readFailing } from '../../../cli/temporal/read-failing.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;

/** Columns in which a newer version may store an unknown method, and the axis that the error of this version names. */
const AXES = [
  ['proposer', "update researches set proposer = 'from-the-future' where id = $1", 'search.proposer'],
  [
    'abort',
    `update researches set settings = jsonb_set(settings, '{search,abort}', '"from-the-future"') where id = $1`,
    'search.abort',
  ],
  [
    'keep',
    `update researches set gate_config = jsonb_set(gate_config, '{policy}', '"from-the-future"') where id = $1`,
    'keep.policy',
  ],
  ['gate', `update researches set gate = jsonb_set(gate, '{version}', '2') where id = $1`, 'gate'],
] as const;

const endedOf = async (id: string): Promise<string[]> =>
  (
    await stack.query<{ status: string }>(
      `select status from trials where research_id = $1 and kind = 'search' and status is not null order by n`,
      [id],
    )
  ).map(({ status }) => status);

export function unknownMethodTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  describe.concurrent('an unknown method that a newer version stored', () => {
    test.each(AXES)(
      'for %s stops the work until a worker knows it, reports this, and loses nothing',
      async (id, change, axis) => {
        const task = await writeTask(join(stack.home, id), { task: { name: id } });
        await stack.startResearch(id, { task, budget: { trials: 1 } });
        await stack.client.workflow.getHandle(id).result();
        const kept = 'select proposer, settings, gate_config, gate from researches where id = $1';
        const [before] = await stack.query(kept, [id]);
        await stack.query(change, [id]);
        await stack.startResearch(id, { task, budget: { trials: 2 } });
        const failing = () => readFailing(stack.client, { researchId: id, trialIds: [`${id}/3`], now: new Date() });
        const expectReport = async () =>
          expect((await failing()).map(({ message }) => message).join('\n')).toContain(
            `${axis}: this version does not know`,
          );
        await vi.waitFor(expectReport, { timeout: 120_000, interval: 250 });
        expect(await endedOf(id)).toEqual(['completed']);
        await stack.query(
          'update researches set proposer = $2, settings = $3, gate_config = $4, gate = $5 where id = $1',
          [id, before?.proposer, before?.settings, before?.gate_config, before?.gate],
        );
        expect(await stack.client.workflow.getHandle(id).result()).toMatchObject({
          reason: expect.stringContaining('budget.trials'),
        });
        expect(await endedOf(id)).toHaveLength(2);
      },
    );
  });
}
