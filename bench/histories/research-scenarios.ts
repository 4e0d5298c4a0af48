import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestStack } from '../support/stack.ts';
import { ended, task, type Scenario } from './scenarios.ts';

/** Waits until the condition holds, at most 90 s. A condition that throws does not hold yet. */
export const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 90_000; !(await isSo().catch(() => false)); await sleep(100))
    if (Date.now() > end) throw new Error(`Expected ${what} within 90 s`);
};

/** The section `run` of a task whose runs wait for the file `gate`. */
export const runUntilFile = (gate: string) => ({
  command: `until [ -e ${gate} ]; do sleep 0.1; done; cp knobs.env out.txt`,
  budget: { seconds: 300, kind: 'wall' },
  artefacts: [{ path: 'out.txt' }],
  sandbox: 'none',
});
const running = (stack: TestStack, id: string): Promise<void> =>
  stack.until('a run', `select count(*) > 0 as done from runs where trial_id like $1 and launched_at is not null`, [
    `${id}/%`,
  ]);

/** Scenarios of failures, cancellations and messages of a research. */
export const RESEARCH_SCENARIOS: Record<string, Scenario> = {
  // The database of Temporal is lost. A research started again under its id adopts its running trials.
  adopted: async (recording, id) => {
    const { stack } = recording;
    const gate = join(stack.home, 'adopt');
    const input = { task: await task(stack, 'adopted', { run: runUntilFile(gate) }), budget: { trials: 3 } };
    await stack.startResearch(id, input);
    await running(stack, id);
    await recording.worker.stop();
    await stack.temporal.kill();
    await stack.temporal.start({ fresh: true });
    await until('Temporal', async () => Boolean(await stack.client.workflowService.getSystemInfo({})));
    recording.worker = await stack.startWorker({ slots: 2 });
    await stack.startResearch(id, input);
    const handle = stack.client.workflow.getHandle(id);
    await until('the run to be taken up', async () => {
      const { running } = await handle.query<{ running: number[] }>('status');
      return running.length > 0;
    });
    await writeFile(gate, '');
    await handle.result();
  },
  cancelled: async ({ stack }, id) => {
    await stack.startResearch(id, { task: await task(stack, 'cancelled', { run: runUntilFile('/nowhere') }) });
    await running(stack, id);
    const handle = stack.client.workflow.getHandle(id);
    await handle.cancel();
    await handle.result().catch(() => undefined);
    await stack.until(
      'the trials to end',
      'select bool_and(status is not null) as done from trials where research_id = $1',
      [id],
    );
  },
  // A resume ends the wait of a proposer without new candidates.
  'wait-ended': async ({ stack }, id) => {
    const knobs = [{ file: 'knobs.env', name: 'X', type: 'choice' as const, values: [1.5, 2] }];
    await stack.startResearch(id, {
      task: await task(stack, 'wait-ended', { knobs }),
      window: 2,
      budget: { trials: 14 },
    });
    const handle = stack.client.workflow.getHandle(id);
    let isOver = false;
    void handle.result().finally(() => (isOver = true));
    // A wait lasts for seconds, so one resume a second comes within it.
    while (!isOver) {
      await handle.signal('resume').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    await handle.result();
  },
  messages: async ({ stack }, id) => {
    const other = await task(stack, 'another', { metric: { name: 'score', direction: 'maximize', max: 1 } });
    await stack.startResearch(id, { task: await task(stack, 'messages'), budget: { trials: 4 } });
    const handle = stack.client.workflow.getHandle(id);
    await ended(stack, id, 2);
    await handle.signal('pause');
    await handle.signal('note', { text: 'smaller steps' });
    await handle.signal('nothing', {});
    await Promise.all([3, 4].map((x) => handle.signal('inject', { files: { 'knobs.env': `X=${x}\n` } })));
    await handle.signal('changeTask', { task: join(stack.home, 'missing') });
    await handle.executeUpdate('changeTask', { args: [{ task: other }] });
    await handle.executeUpdate('setBudget', { args: [{ trials: 8 }] });
    await handle.signal('resume');
    await ended(stack, id, 6);
    const [trial] = await stack.query<{ n: number }>(
      `select n from trials where research_id = $1 and verdict = 'discard' order by n limit 1`,
      [id],
    );
    const override = { n: trial?.n ?? 2, verdict: 'keep', reason: 'for the record' };
    await handle.executeUpdate('overrideVerdict', { args: [override] }).catch(() => undefined);
    await handle.result();
  },
  // Messages that arrived without a worker are handled as batches. So many notes also exceed the number of signals that
  // the SDK delivers one by one, and come as one signal.
  gathered: async (recording, id) => {
    const { stack } = recording;
    const other = await task(stack, 'gathered-other');
    await stack.startResearch(id, { task: await task(stack, 'gathered'), budget: { trials: 4 } });
    const handle = stack.client.workflow.getHandle(id);
    await ended(stack, id, 2);
    await handle.signal('pause');
    await recording.worker.stop();
    await Promise.all(Array.from({ length: 150 }, (_, n) => handle.signal('note', { text: `note ${n}` })));
    for (const x of [3, 4]) await handle.signal('inject', { files: { 'knobs.env': `X=${x}\n` } });
    for (const file of ['missing', 'knobs.env'])
      await handle.signal('inject', { files: { [file]: `X=${file.length}\n` } });
    for (const path of [join(stack.home, 'missing'), other]) await handle.signal('changeTask', { task: path });
    await handle.signal('nobody');
    recording.worker = await stack.startWorker({ slots: 2 });
    await handle.executeUpdate('setBudget', { args: [{ trials: 8 }] });
    await handle.signal('resume');
    await handle.result();
  },
  // Updates and signals that arrived without a worker are handled before the first trial.
  'asked-early': async (recording, id) => {
    const { stack } = recording;
    const other = await task(stack, 'asked-early-other');
    await recording.worker.stop();
    await stack.startResearch(id, { task: await task(stack, 'asked-early'), budget: { trials: 6 } });
    const handle = stack.client.workflow.getHandle(id);
    await handle.signal('note', { text: 'smaller steps' });
    const asked = [
      handle.executeUpdate('setWindow', { args: [{ window: 1 }] }),
      handle.executeUpdate('setBudget', { args: [{ trials: 3 }] }),
      handle.executeUpdate('changeTask', { args: [{ task: other }] }),
    ];
    recording.worker = await stack.startWorker({ slots: 2 });
    await Promise.all(asked);
    await handle.result();
  },
  // Workflow tasks without commands: the second of two in a row leaves an event.
  quiet: async ({ stack }, id) => {
    await stack.startResearch(id, { task: await task(stack, 'quiet') });
    const handle = stack.client.workflow.getHandle(id);
    await handle.signal('pause');
    await stack.until('a pause', `select phase = 'paused' as done from researches where id = $1`, [id]);
    for (let times = 0; times < 4; times += 1) {
      await handle.signal('pause');
      // The query is answered by a workflow task of its own, after that of the signal.
      await handle.query('status');
    }
    await handle.signal('stop');
    await handle.result();
  },
};
