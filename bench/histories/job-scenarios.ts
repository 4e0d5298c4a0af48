import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runUntilFile, until } from './research-scenarios.ts';
import { task, type Scenario } from './scenarios.ts';

/** Scenarios of jobs, which are no trials. */
export const JOB_SCENARIOS: Record<string, Scenario> = {
  // The job ends once by itself, is restarted, and is cancelled.
  served: async ({ stack }, id) => {
    const [starts, gate] = [join(stack.home, 'starts'), join(stack.home, 'fail')];
    const command = `echo x >> ${starts}; echo ready; until [ -e ${gate} ]; do sleep 0.1; done; rm ${gate}`;
    const path = await task(stack, 'served', { run: runUntilFile(gate) });
    const serve = { ready: 'ready', restart: { firstSeconds: 1, mostSeconds: 2 } };
    const job = await stack.client.workflow.start('job', {
      taskQueue: 'perpetua',
      workflowId: id,
      args: [{ task: path, command, serve, tempo: 0.25 }],
    });
    const readyRuns = (n: number): Promise<void> =>
      stack.until(
        `${n} runs that serve`,
        'select count(*) >= $2 as done from runs where trial_id = $1 and ready_at is not null',
        [id, n],
      );
    await readyRuns(1);
    await writeFile(gate, '');
    await until('a second start', async () => (await readFile(starts, 'utf8')) === 'x\nx\n');
    await readyRuns(2);
    await job.cancel();
    await job.result();
  },
};
