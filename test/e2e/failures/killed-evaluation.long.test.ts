import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilAllStopped } from '../../support/e2e/cases.ts';
import { runningPrograms } from '../../support/process/running-programs.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const SLEEP = 'sleep 4244';
/** Sleeps in a child of its own while the file is there. */
const score = (hold: string): string =>
  `if [ -e ${hold} ]; then setsid ${SLEEP} & while [ -e ${hold} ]; do sleep 0.2; done; fi
echo '{"score": -1}' >&3
`;

test('a worker killed in mid-evaluation leaves no process and no folder, and the trial gets its score', async () => {
  const held = join(stack.home, '..', `${stack.home.split('/').at(-1)}-held`);
  const hold = join(held, 'hold');
  await mkdir(held, { recursive: true });
  await writeFile(hold, '');
  try {
    const task = await writeTask(join(stack.home, 'tasks/killed'), {
      task: {
        name: 'killed',
        keep: { policy: 'strict', baselineRuns: 1 },
        evaluator: { type: 'artefact', command: 'sh score.sh', readable: [held], timeoutSeconds: 600 },
      },
      files: { 'evaluator/score.sh': score(hold) },
    });
    const first = await stack.startWorker({ slots: 1 });
    await stack.startResearch('killed', { task, window: 1, budget: { trials: 1 } });
    await expect.poll(() => runningPrograms(SLEEP)).toBe(1);
    await first.kill();
    await expect.poll(() => runningPrograms(SLEEP)).toBe(0);
    expect(await readdir(join(stack.home, 'evaluations'))).toHaveLength(1);
    await stack.startWorker({ slots: 1 });
    await expect.poll(() => runningPrograms(SLEEP), { timeout: 240_000 }).toBe(1);
    expect(await readdir(join(stack.home, 'evaluations'))).toHaveLength(1);
    await rm(hold);
    await untilAllStopped(stack, ['killed']);
    const trials = await stack.query(`select n, status, value from trials where research_id = 'killed' order by n`);
    expect(trials).toEqual([
      { n: 1, status: 'completed', value: -1 },
      { n: 2, status: 'completed', value: -1 },
    ]);
    expect(await stack.query(`select from observations where runs > 1 and research_id = 'killed'`)).toEqual([]);
    expect(await readdir(join(stack.home, 'evaluations'))).toEqual([]);
    expect(await runningPrograms(SLEEP)).toBe(0);
  } finally {
    await rm(held, { recursive: true, force: true });
  }
});
