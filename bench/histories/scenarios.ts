import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestStack, TestWorker } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

/** The stack and worker of a recording. A scenario that stops the worker starts another one. */
export interface Recording {
  stack: TestStack;
  worker: TestWorker;
}

export type Scenario = (recording: Recording, id: string) => Promise<void>;

export const task = (stack: TestStack, name: string, overrides: Record<string, unknown> = {}): Promise<string> =>
  writeTask(join(stack.home, 'tasks', name), {
    task: { name, search: { parent: 'best', proposer: 'random', window: 2 }, ...overrides },
  });

export const ended = (stack: TestStack, id: string, n: number): Promise<void> =>
  stack.until(
    `${n} trials`,
    `select count(*) >= $2 as done from trials where research_id = $1 and status is not null`,
    [id, n],
  );

/** Scenarios of a research, by name; the name is the id of the research. */
export const SCENARIOS: Record<string, Scenario> = {
  plain: async ({ stack }, id) => {
    await stack.startResearch(id, { task: await task(stack, 'plain'), budget: { trials: 5 } });
    await stack.client.workflow.getHandle(id).result();
  },
  'changed-task': async ({ stack }, id) => {
    const other = await task(stack, 'other', { metric: { name: 'score', direction: 'maximize', max: 1 } });
    await stack.startResearch(id, { task: await task(stack, 'changed'), budget: { trials: 10 } });
    const handle = stack.client.workflow.getHandle(id);
    await ended(stack, id, 3);
    await handle.executeUpdate('changeTask', { args: [{ task: other }] });
    await handle.executeUpdate('setWindow', { args: [{ window: 1 }] });
    await handle.result();
  },
  'continued-as-new': async ({ stack }, id) => {
    await stack.startResearch(id, { task: await task(stack, 'continued'), budget: { trials: 12 }, maxHistory: 80 });
    await stack.client.workflow.getHandle(id).result();
  },
  stopped: async ({ stack }, id) => {
    await stack.startResearch(id, {
      task: await task(stack, 'stopped', {
        run: {
          command: 'sleep 30; cp knobs.env out.txt',
          budget: { seconds: 40, kind: 'wall' },
          artefacts: [{ path: 'out.txt' }],
        },
      }),
    });
    const handle = stack.client.workflow.getHandle(id);
    await stack.until('a run', `select count(*) > 0 as done from runs where trial_id like $1`, [`${id}/%`]);
    await handle.signal('stop', { now: true });
    await handle.result();
  },
};

/** Runs take longer than a run of the chain, so the end of a trial is signalled to a later run. */
SCENARIOS['handed-over'] = async ({ stack }, id) => {
  const run = {
    command: 'sleep 2; cp knobs.env out.txt',
    budget: { seconds: 40, kind: 'wall' },
    artefacts: [{ path: 'out.txt' }],
  };
  const path = await task(stack, 'handed', { run });
  await stack.startResearch(id, { task: path, budget: { trials: 10 }, maxHistory: 50 });
  await stack.client.workflow.getHandle(id).result();
};
/** A pause is refused while the research stops. */
SCENARIOS['paused-while-stopping'] = async ({ stack }, id) => {
  const run = {
    command: 'until [ -e go ]; do sleep 0.1; done; cp knobs.env out.txt',
    budget: { seconds: 40, kind: 'wall' },
    artefacts: [{ path: 'out.txt' }],
  };
  const held = { command: run.command.replace('-e go', `-e ${join(stack.home, 'go')}`), sandbox: 'none' };
  await stack.startResearch(id, { task: await task(stack, 'stopping', { run: { ...run, ...held } }) });
  const handle = stack.client.workflow.getHandle(id);
  await stack.until('a run', `select count(*) > 0 as done from runs where trial_id like $1`, [`${id}/%`]);
  await handle.signal('stop');
  await handle.signal('pause');
  await handle.signal('resume');
  await stack.until('alerts', `select count(*) >= 2 as done from alerts where research_id = $1`, [id]);
  await writeFile(join(stack.home, 'go'), '');
  await handle.result();
};
/** The first admission and the first proposal fail within the workflow task. */
SCENARIOS['fallen-back'] = async ({ stack }, id) => {
  for (const [name, when] of [
    ['admission', 'insert on trials for each row'],
    ['proposal', 'update on trials for each row when (old.parent_id is null and new.parent_id is not null)'],
  ]) {
    await stack.query(`create sequence ${name}_faults`);
    await stack.query(`create function ${name}_fault() returns trigger language plpgsql as $$ begin
      if nextval('${name}_faults') = 1 then raise exception 'for the record'; end if; return new; end $$`);
    await stack.query(`create trigger ${name}_fault before ${when} execute function ${name}_fault()`);
  }
  await stack.startResearch(id, { task: await task(stack, 'fallen'), budget: { trials: 3 } });
  await stack.client.workflow.getHandle(id).result();
};
