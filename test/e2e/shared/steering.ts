import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  expectReleased,
  release,
  runProcesses,
  slowTask,
  trialsOf,
  untilLaunched,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import type { TestStack } from '../../support/stack.ts';
import { refusal, steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin, rowOf, statusOf, untilAlerts, untilEnded, untilIdle, untilPhase } = steering(() => stack);

export function steeringTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  describe.concurrent('a person steers a research', () => {
    test('pause lets runs finish, starts nothing and stops the clock; resume uses the newly set window', async () => {
      const handle = await begin('pausing', { budget: { trials: 5 } }, { held: true });
      await untilLaunched(stack, 'pausing');
      const began = Date.now();
      await handle.signal('pause');
      await untilPhase('pausing', 'paused');
      release(stack, 'pausing');
      await untilIdle('pausing');
      // The workflow receives the end of a trial after the database has it.
      await expect.poll(async () => (await statusOf('pausing')).running, { timeout: 60_000 }).toEqual([]);
      const paused = await rowOf('pausing');
      const trials = await trialsOf(stack, 'pausing');
      expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
      expect(await handle.executeUpdate('setWindow', { args: [{ window: 1 }] })).toEqual({ window: 1, fixed: true });
      expect(await refusal(handle.executeUpdate('setWindow', { args: [{ window: 0 }] }))).toMatch(/^window: /);
      await sleep(4000);
      expect(await rowOf('pausing')).toEqual(paused);
      expect(await statusOf('pausing')).toMatchObject({ phase: 'paused', running: [], window: 1 });

      await handle.signal('resume');
      await untilStopped(stack, 'pausing');
      const { active_seconds } = await rowOf('pausing');
      expect(active_seconds).toBeGreaterThan(paused.active_seconds);
      expect(active_seconds).toBeLessThan((Date.now() - began) / 1000 + paused.active_seconds - 4);
      const together = await stack.query(
        `select a.n, b.n from trials a join trials b on a.research_id = b.research_id and a.n < b.n
           and tstzrange(a.created_at, a.ended_at) && tstzrange(b.created_at, b.ended_at)
         where a.research_id = 'pausing' and a.n > $1`,
        [paused.last_n],
      );
      expect(together).toEqual([]);
      expect((await trialsOf(stack, 'pausing')).filter(({ kind }) => kind === 'search')).toHaveLength(5);
    });

    test('a window that was set is in the database at once, not with the next trial that ends', async () => {
      // The loop of the workflow, which writes the window too, next reads the database after a minute.
      const handle = await begin('windowed', { tempo: 1 }, { held: true });
      await untilLaunched(stack, 'windowed');
      await handle.executeUpdate('setWindow', { args: [{ window: 1 }] });
      const text = `select "window" = 1 as done, "window" from researches where id = 'windowed'`;
      await stack.until('the new window', text, [], 30);
      await handle.signal('stop', { now: true });
      await handle.result();
    });

    test('the Web UI gets search attributes, details, and the queries status and best', async () => {
      const handle = await begin('shown', { budget: { trials: 3 } });
      await handle.result();
      const { searchAttributes } = await handle.describe();
      expect(searchAttributes).toMatchObject({
        PerpetuaTask: ['parabola'],
        PerpetuaPhase: ['stopped'],
        PerpetuaTrials: [4],
      });
      const best = await handle.query<{ mean: number; n: number; trusted: boolean }>('best');
      expect(best.trusted).toBe(false);
      expect(searchAttributes['PerpetuaBest']).toEqual([best.mean]);
      const [claim] = await stack.query<{ value: number }>(
        `select value from claims where research_id = 'shown' order by seq desc limit 1`,
      );
      if (claim) expect(best.mean).toBeCloseTo(claim.value);
      else expect(best.mean).toBeCloseTo(-30.25);
      expect(await statusOf('shown')).toMatchObject({ phase: 'stopped', running: [], started: 4, ended: 4 });
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toMatch(/### parabola[^]*\| phase \| stopped: budget\.trials is spent: 3 of 3 \|/);
      expect(currentDetails).toMatch(/\| \\#\d+ \| (keep|discard|absorbed) \| -[\d.]+ untrusted \|/);
      expect(currentDetails).toMatch(
        /\| trials \| 4 ended, 0 under way \|[^]*\| slots \| 4 \|\n\| time \| [\w. ]+ active \|/,
      );
      expect(currentDetails).toMatch(
        /\| best \| -[\d.]+ untrusted \w+ \|\n\| claim \| .* on one run \|\n\| baseline \| -[\d.]+ untrusted sd of /,
      );
    });

    test('a research may begin paused, and one that begins stopping ends before its first trial', async () => {
      const paused = await begin('begins-paused', { paused: true });
      await untilPhase('begins-paused', 'paused');
      const stopping = await begin('begins-stopping', { stopping: 'drain' });
      expect(await stopping.result()).toMatchObject({ reason: 'stopped by a person', trials: 0 });
      expect(await trialsOf(stack, 'begins-stopping')).toEqual([]);
      expect(await trialsOf(stack, 'begins-paused')).toEqual([]);
      await paused.signal('resume');
      await untilLaunched(stack, 'begins-paused');
      await paused.signal('stop', { now: true });
      expect(await paused.result()).toMatchObject({ reason: 'stopped by a person' });
    });

    test('stop lets runs finish and ends', async () => {
      const handle = await begin('stopping', {}, { held: true });
      await untilLaunched(stack, 'stopping');
      await handle.signal('stop');
      await untilPhase('stopping', 'stopping');
      await handle.signal('pause');
      await untilAlerts('stopping', 1);
      expect((await statusOf('stopping')).alerts.join()).toMatch(/signal pause refused: the research is stopping/);
      release(stack, 'stopping');
      expect(await handle.result()).toMatchObject({ reason: 'stopped by a person' });
      const trials = await trialsOf(stack, 'stopping');
      expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
      await expectReleased(stack, 'stopping');
    });

    test('stop now also ends what runs, as aborted, with its processes', async ({ expect }) => {
      const handle = await begin('stop-now', { window: 3 }, { held: true });
      await untilLaunched(stack, 'stop-now', 2);
      // A supervisor starts its program some time after its own start.
      await expect.poll(() => runProcesses('stop-now').length).toBeGreaterThan(0);
      await handle.signal('stop', { now: true });
      expect(await handle.result()).toMatchObject({ reason: 'stopped by a person' });
      const trials = await trialsOf(stack, 'stop-now');
      expect(trials.map(({ status, failure }) => ({ status, failure }))).toEqual(
        trials.map(() => ({ status: 'aborted', failure: 'stopped-by-operator' })),
      );
      await expectReleased(stack, 'stop-now');
    });

    test('inject runs a proposal of a person before new ones and refuses immutable files; a note is kept', async () => {
      const handle = await begin('injected', { budget: { trials: 4 } }, { held: true });
      await untilLaunched(stack, 'injected');
      await handle.signal('pause');
      await untilPhase('injected', 'paused');
      release(stack, 'injected');
      await untilIdle('injected');
      const { last_n } = await rowOf('injected');
      await handle.signal('inject', { files: { 'knobs.env': 'X=7\n' }, hypothesis: 'it is seven' });
      await handle.signal('note', { text: 'mind the slope' });
      await handle.signal('inject', { files: { 'run.sh': 'true\n' } });
      await untilAlerts('injected', 1);
      expect((await statusOf('injected')).alerts).toEqual([
        expect.stringMatching(/^signal inject refused: files\.run\.sh: expected one of the mutable files knobs\.env/),
      ]);
      await handle.signal('resume');
      await handle.result();
      const [trial] = await stack.query(
        `select n, kind, proposer, hypothesis, status, value, verdict from trials
         where research_id = 'injected' and kind = 'injected'`,
      );
      expect(trial).toEqual({
        n: last_n + 1,
        kind: 'injected',
        proposer: 'person',
        hypothesis: 'it is seven',
        status: 'completed',
        value: 0,
        verdict: 'keep',
      });
      expect(await stack.query(`select text from notes where research_id = 'injected'`)).toEqual([
        { text: 'mind the slope' },
      ]);
    });

    test('a research that waits at its spent budget continues when the budget is raised', async () => {
      const handle = await begin('raised', { budget: { trials: 1, whenSpent: 'wait' } });
      await untilPhase('raised', 'waiting');
      expect(await rowOf('raised')).toMatchObject({ reason: 'budget.trials is spent: 1 of 1' });
      expect(await refusal(handle.executeUpdate('setBudget', { args: [{ trials: -1 }] }))).toMatch(/^trials: /);
      expect(await refusal(handle.executeUpdate('setBudget', { args: [{ trials: 3, counts: [] }] }))).toMatch(
        /^counts: expected at least one kind/,
      );
      expect(await handle.executeUpdate('setBudget', { args: [{ hours: 9 }] })).toMatchObject({ trials: 1, hours: 9 });
      const lifted = { trials: 3, hours: null, whenSpent: 'stop' };
      expect(await handle.executeUpdate('setBudget', { args: [lifted] })).toEqual({
        trials: 3,
        counts: ['search', 'injected'],
        whenSpent: 'stop',
      });
      expect(await handle.result()).toMatchObject({ reason: 'budget.trials is spent: 3 of 3' });
    });

    test("overrideVerdict replaces the gate's verdict by a person's, with the reason, in both directions", async () => {
      const handle = await begin('word', { budget: { trials: 3, whenSpent: 'wait' } });
      await untilPhase('word', 'waiting');
      const trials = await trialsOf(stack, 'word');
      const incumbent = async () => {
        const [row] = await stack.query<{ value: number; by: string }>(
          `select value, by from claims where research_id = 'word' order by seq desc limit 1`,
        );
        return row;
      };
      const best = (await incumbent())?.value ?? trials.find(({ kind }) => kind === 'baseline')?.value;
      const others = trials.filter(({ kind, value }) => kind === 'search' && value !== null && value !== best);
      const worst = others.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
      if (!worst) throw new Error('expected a trial that is not the best');
      const override = (verdict: string, reason = 'seen on paper') =>
        handle.executeUpdate('overrideVerdict', { args: [{ n: worst.n, verdict, reason }] });
      expect(await override('keep')).toEqual({ n: worst.n, verdict: 'keep' });
      expect((await incumbent())?.by).toBe('person');
      expect((await incumbent())?.value).toBeCloseTo(worst.value ?? NaN);
      expect((await trialsOf(stack, 'word')).find(({ n }) => n === worst.n)?.verdict).toBe('keep');
      // The same verdict again, from a person or from a retried activity, is no error and no second claim.
      const claims = async () => stack.query(`select seq from claims where research_id = 'word'`);
      const before = await claims();
      expect(await override('keep')).toEqual({ n: worst.n, verdict: 'keep' });
      expect(await claims()).toEqual(before);
      await override('discard');
      expect((await incumbent())?.value).toBeCloseTo(best ?? NaN);
      expect(await refusal(override('keep', ''))).toMatch(/^reason: /);
      expect(
        await refusal(
          handle.executeUpdate('overrideVerdict', { args: [{ n: 999, verdict: 'keep', reason: 'no such trial' }] }),
        ),
      ).toBe('n: expected a trial of this research, got 999');
      // The database cannot store this number; an activity that retried for ever would keep the research from ending.
      expect(
        await refusal(
          handle.executeUpdate('overrideVerdict', { args: [{ n: 2147483648, verdict: 'keep', reason: 'too large' }] }),
        ),
      ).toMatch(/^n: .*2147483647/);
      await handle.signal('stop');
      await handle.result();
    });

    test('changeTask, as signal or update, keeps the incumbent only if metric and evaluator are the same', async () => {
      const handle = await begin('changed', {});
      await untilEnded('changed', 2);
      const folder = async (name: string, more: Parameters<typeof slowTask>[2]) => {
        await slowTask(stack, `changed-${name}`, { seconds: 0.4, ...more });
        return join(stack.home, 'tasks', `changed-${name}`);
      };
      const same = await folder('same', { files: { 'workspace/README': 'another text\n' } });
      const other = await folder('other', { files: { 'evaluator/score.sh': `printf '{"score": -1}' >&3\n` } });
      const broken = await folder('broken', { task: { metric: { name: 'score', direction: 'sideways' } } as never });

      expect(await refusal(handle.executeUpdate('changeTask', { args: [{ task: broken }] }))).toMatch(
        /metric\.direction/,
      );
      await handle.signal('changeTask', { task: broken });
      await untilAlerts('changed', 1);
      expect((await statusOf('changed')).alerts.at(-1)).toMatch(/^signal changeTask refused: [^]*metric\.direction/);

      expect(await handle.executeUpdate('changeTask', { args: [{ task: same }] })).toMatchObject({
        keptIncumbent: true,
      });
      await handle.signal('changeTask', { task: other });
      await stack.until(
        'the task to be changed',
        `select count(*) > 0 as done from alerts where research_id = 'changed' and message like '%incumbent dropped%'`,
      );
      await stack.until(
        'a new baseline under the new evaluator',
        `select count(*) > 0 as done from trials where research_id = 'changed' and kind = 'baseline' and value = -1`,
      );
      await handle.signal('stop');
      await handle.result();
      const baselines = (await trialsOf(stack, 'changed')).filter(({ kind }) => kind === 'baseline');
      expect(baselines.map(({ value }) => value)).toEqual([-30.25, -1]);
      await expectReleased(stack, 'changed');
    });
  });
}
