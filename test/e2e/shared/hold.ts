import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
const ID = 'unstorable';

/** A trigger of the database's owner that refuses the results of the research's proposals. */
const REFUSE = `
  create function refuse_result() returns trigger language plpgsql as $$
    begin raise exception 'this result has no equivalent here' using errcode = '22P05'; end $$;
  create trigger refuse_result before update on trials for each row
    when (new.research_id = '${ID}' and new.kind = 'search' and new.status = 'completed')
    execute function refuse_result()`;

export function holdTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('results that the database refuses cost no trial: the research waits with its words, then goes on', async () => {
    const task = await writeTask(join(stack.home, ID), { task: { name: ID, search: { proposer: 'random' } } });
    await stack.query(REFUSE);
    await stack.startResearch(ID, { task, budget: { trials: 4 }, window: 1 });
    await stack.until(
      'the research to wait',
      `select phase = 'waiting' and reason like '%this result has no equivalent here%' as done, phase, reason
       from researches where id = $1`,
      [ID],
    );
    const ended = await stack.query<{ failure: string; status: string; failure_message: string }>(
      `select status, failure, failure_message from trials where research_id = $1 and kind = 'search'`,
      [ID],
    );
    expect(ended).toEqual(
      Array.from({ length: 3 }, () => ({
        status: 'lost',
        failure: 'database-failed',
        failure_message: 'the database could not store the trial: this result has no equivalent here',
      })),
    );
    const told = await stack.query<{ message: string }>('select message from alerts where research_id = $1', [ID]);
    expect(told).toEqual([{ message: expect.stringContaining('this result has no equivalent here') }]);

    await stack.query('drop trigger refuse_result on trials');
    await stack.query(`update trials set ended_at = ended_at - interval '5 minutes' where research_id = $1`, [ID]);
    await stack.client.workflow.getHandle(ID).result();
    const [after] = await stack.query<{ completed: number; refunded: object; reason: string }>(
      `select (select count(*)::int from trials
         where research_id = $1 and kind = 'search' and status = 'completed') as completed, refunded, reason
       from researches where id = $1`,
      [ID],
    );
    expect(after).toMatchObject({ completed: 4, reason: expect.stringContaining('budget.trials is spent: 4 of 4') });
    expect(after?.refunded).toMatchObject({ search: expect.any(Number) });
  });

  test('a setup that fails costs three trials: the research waits with its words until a person resumes', async () => {
    const id = 'broken-setup';
    const package_ = join(stack.home, 'package');
    const setup = { commands: [`test -e '${package_}' || { echo no such package >&2; exit 3; }`] };
    const task = await writeTask(join(stack.home, id), { task: { name: id, setup, search: { proposer: 'random' } } });
    await stack.startResearch(id, { task, budget: { trials: 6, counts: ['baseline', 'search'] }, window: 1 });
    const waits = (trials: number) =>
      stack.until(
        `the research to wait after ${trials} trials`,
        `select phase = 'waiting' and reason like 'setup: %no such package%' and last_n = ${trials}
           and not exists (select 1 from trials where research_id = researches.id and status is null) as done,
           phase, reason, last_n from researches where id = $1`,
        [id],
      );
    await waits(3);
    const research = stack.client.workflow.getHandle(id);
    await research.signal('resume');
    await waits(4);
    await writeFile(package_, '');
    await research.signal('resume');
    await research.result();
    const counts = await stack.query<{ status: string; count: number }>(
      'select status, count(*)::int from trials where research_id = $1 group by status order by status',
      [id],
    );
    expect(counts).toContainEqual({ status: 'lost', count: 4 });
    expect(counts).toContainEqual({ status: 'completed', count: expect.any(Number) });
  });
}
