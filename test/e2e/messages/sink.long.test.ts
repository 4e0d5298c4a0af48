import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { tendOften } from '../../support/e2e/tend-often.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

test('a worker that dies after the sink took a message leaves it, and it comes again with the same id', async () => {
  const path = join(stack.home, 'messages.jsonl');
  const spec = { name: 'log', type: 'file', path, soonMinutes: 0, send: ['soon'] };
  await stack.query(`insert into sinks (name, spec) values ('log', $1)`, [
    JSON.stringify({ ...spec, digestAt: '08:00', timeZone: 'UTC' }),
  ]);
  const [killAt] = FAULTS['worker-dies-sending/local/random'];
  const mortal = await stack.startWorker({ killAt });
  await tendOften(stack);
  const task = await writeTask(join(stack.home, 'tasks', 'toy'), { task: { name: 'toy' } });
  await stack.startResearch('toy', { task, budget: { trials: 1 } });
  await mortal.gone;
  const ids = (): string[] =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
  const [first] = ids();
  expect(ids()).toHaveLength(1);
  await stack.startWorker();
  await stack.client.workflow.getHandle('toy').result();
  await stack.until(
    'all messages',
    `select count(*) > 0 and bool_and(d.delivered_at is not null) as done
     from messages m left join message_deliveries d on d.id = m.delivery where m.kind = 'end'`,
  );
  await vi.waitFor(() => expect(ids().filter((id) => id === first)).toHaveLength(2));
  const [{ count }] = (await stack.query('select count(*)::int as count from message_deliveries')) as [
    { count: number },
  ];
  expect(new Set(ids()).size).toBe(count);
  expect(ids()).toHaveLength(count + 1);
});
