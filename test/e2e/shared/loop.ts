import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectNoProcesses, readLedger } from '../../support/database/ledger.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;

const stopped = `select phase = 'stopped' as done, phase, reason, last_n from researches where id = $1`;

export function loopTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  describe('the loop', () => {
    test('slows down a proposer whose proposals are all rejected, and still ends with its budget', async () => {
      const task = await writeTask(join(stack.home, 'tasks/dry'), { task: { name: 'dry' } });
      await stack.startResearch('dry', { task, window: 2, budget: { trials: 1, whenSpent: 'wait' } });
      const handle = stack.client.workflow.getHandle('dry');
      await stack.until('its budget', `select phase = 'waiting' as done from researches where id = $1`, ['dry']);
      // This edit becomes the best, and its knob is no literal, so it has no value to change.
      await handle.signal('inject', { files: { 'knobs.env': 'X=$((3 + 4))\n' } });
      await stack.until(
        'the edit',
        `select bool_or(verdict = 'keep') as done from trials where research_id = $1 and kind = 'injected'`,
        ['dry'],
      );
      const [{ admitted = 0 } = {}] = await stack.query<{ admitted: number }>(
        `select count(*)::int as admitted from trials where research_id = 'dry' and kind in ('search', 'injected')`,
      );
      const proposals = admitted + 13;
      await handle.executeUpdate('setBudget', { args: [{ trials: 40, proposals, whenSpent: 'stop' }] });
      await stack.until('the research to end', stopped, ['dry']);
      const { trials } = await readLedger(stack, 'dry');
      expect(trials.filter(({ status }) => status === 'rejected')).toHaveLength(13);
      const [waited] = await stack.query<{ most: number }>(
        `select max(extract(epoch from created_at - before))::float8 as most
         from (
           select created_at, lag(created_at) over (order by n) as before from trials
           where research_id = 'dry' and n > $1
         ) gaps`,
        [trials.length - 13],
      );
      expect(waited?.most).toBeGreaterThan(4.5);
    });

    test.each([
      { how: 'fails', command: 'P=package; echo no such $P >&2; exit 3', timeoutSeconds: 60, part: 'no such package' },
      { how: 'hangs', command: 'sleep 1000', timeoutSeconds: 1, part: 'setup.timeoutSeconds' },
    ])('ends a check whose setup always $how, with the reason', async ({ how, command, timeoutSeconds, part }) => {
      const id = `setup-${how}`;
      const setup = { commands: [command], timeoutSeconds };
      const task = await writeTask(join(stack.home, 'tasks', id), { task: { name: id, setup } });
      await stack.startResearch(id, { task, check: true });
      expect(await stack.client.workflow.getHandle(id).result()).toMatchObject({ reason: 'checked' });
      const [trial] = await stack.query(
        `select status, failure, failure_message as message from trials where id = $1`,
        [`${id}/1`],
      );
      expect(trial).toMatchObject({ status: 'lost', failure: 'setup-failed' });
      expect(trial?.message).toContain(part);
    });

    test('continues a trial that an interrupted admission left behind', async () => {
      const task = await writeTask(join(stack.home, 'tasks/left'), { task: { name: 'left' } });
      await stack.startResearch('left', { task, budget: { trials: 2, whenSpent: 'wait' }, tempo: 0.05 });
      await stack.until('its budget', `select phase = 'waiting' as done from researches where id = $1`, ['left']);
      await stack.query(`
        with numbered as (update researches set last_n = last_n + 1 where id = 'left' returning last_n),
        opened as (
          insert into jobs (id, kind, research_id, task_hash, pool, priority, spec)
          select 'left/' || last_n, kind, research_id, task_hash, pool, priority, spec
          from jobs, numbered where id = 'left/1')
        insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission)
        select 'left/' || last_n, 'left', last_n, 'search', 7, task_hash, pool, 'somebody-else/1' from trials, numbered
        where research_id = 'left' and n = 1`);
      await stack.until(
        'it',
        `select status is not null as done, status from trials where admission = 'somebody-else/1'`,
      );
      await stack.client.workflow.getHandle('left').signal('stop');
      expect(await stack.client.workflow.getHandle('left').result()).toMatchObject({ trials: 4 });
    });

    test('records no local activity, whose order a replay may change', async () => {
      const task = await writeTask(join(stack.home, 'tasks/ordered'), { task: { name: 'ordered' } });
      await stack.startResearch('ordered', { task, budget: { trials: 3 } });
      const handle = stack.client.workflow.getHandle('ordered');
      await handle.result();
      const events = (await handle.fetchHistory()).events ?? [];
      const scheduled = events.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
      expect(scheduled).toContain('admit');
      const markers = events.map((event) => event.markerRecordedEventAttributes?.markerName);
      expect(markers).not.toContain('core_local_activity');
    });

    test('climbs a parabola from a plain start input, and ends with its budget', async () => {
      const task = await writeTask(join(stack.home, 'tasks/parabola'));
      await stack.startResearch('climb', { task, budget: { trials: 9 } });
      await stack.until('the research to end', stopped, ['climb']);

      const { trials, curves, counts } = await readLedger(stack, 'climb');
      expect(trials.filter((trial) => trial.kind === 'baseline')).toHaveLength(1);
      expect(trials.filter((trial) => trial.kind === 'search')).toHaveLength(9);
      expect(trials.every((trial) => trial.status !== null)).toBe(true);
      const baseline = trials.find((trial) => trial.kind === 'baseline')?.value ?? 0;
      const best = Math.max(...trials.map((trial) => trial.value ?? -Infinity));
      expect(baseline).toBeCloseTo(-30.25);
      expect(best).toBeGreaterThan(baseline);
      const [claim] = await stack.query<{ value: number }>(
        'select value from claims where research_id = $1 order by seq desc limit 1',
        ['climb'],
      );
      expect(claim?.value).toBeCloseTo(best);
      expect(counts).toMatchObject({ leased: 0 });
      expect(curves).toEqual(curves.map(() => '1 2'));
      await expectNoProcesses(stack.home);
    });

    test('stores each point of the progress lines once', async () => {
      const rows = await stack.query<{ n: string }>(
        `select string_agg(step || ':' || value, ' ' order by seq) as n
         from points where trial_id = 'climb/1' group by trial_id`,
      );
      expect(rows[0]?.n).toBe('1:2.5 2:1.5');
    });

    test('ends a research with its budget as the reason, which the workflow returns too', async () => {
      const result = (await stack.client.workflow.getHandle('climb').result()) as { reason: string };
      expect(result.reason).toBe('budget.trials is spent: 9 of 9');
    });

    test('continues where it stopped when it is started again under the same id', async () => {
      const task = join(stack.home, 'tasks/parabola');
      const before = await readLedger(stack, 'climb');
      await stack.startResearch('climb', { task, budget: { trials: 12 } });
      await stack.until('three more trials', `select last_n >= $2 as done from researches where id = $1`, [
        'climb',
        before.trials.length + 3,
      ]);
      await stack.client.workflow.getHandle('climb').result();
      const after = await readLedger(stack, 'climb');
      expect(after.trials.slice(0, before.trials.length)).toEqual(before.trials);
      expect(after.trials.filter((trial) => trial.kind === 'search')).toHaveLength(12);
      expect(after.trials.filter((trial) => trial.kind === 'baseline')).toHaveLength(1);
    });
  });
}
