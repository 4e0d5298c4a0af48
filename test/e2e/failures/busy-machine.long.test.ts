import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilStopped } from '../../support/e2e/slow-task.ts';
import { signalAll } from '../../support/process/signal.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
const others: ChildProcess[] = [];
const endOthers = (): void => {
  for (const { pid } of others.splice(0)) if (pid !== undefined) signalAll([-pid]);
};

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 1 });
});
afterAll(async () => {
  endOthers();
  await stack.stop();
});

/** Keeps all cores busy. A session of its own for each program: some kernels share the machine by sessions. */
function keepCoresBusy(): void {
  for (let n = 0; n < 12 * availableParallelism(); n += 1)
    others.push(spawn('timeout', ['300', 'sh', '-c', 'while :; do :; done'], { detached: true, stdio: 'ignore' }));
}

/** The second run of a changed X computes while the machine is said to be busy. */
const RUN = `. ./knobs.env
if [ "$X" != 1.5 ] && grep -qx "$X" "$STARTS"; then
  echo up > "$AGAIN"
  while [ -e "$BUSY" ]; do :; done
fi
echo "$X" >> "$STARTS"
echo "$X" > out.txt
`;

test.skipIf(!existsSync('/proc/self/schedstat'))(
  'a run that others keep from a CPU is placed again, and neither its trial nor its candidate fails by it',
  async () => {
    const at = (name: string): string => join(stack.home, name);
    const task = await writeTask(at('tasks/starved'), {
      task: {
        name: 'starved',
        repeats: 2,
        keep: { policy: 'strict' },
        run: {
          command: 'sh run.sh',
          budget: { seconds: 2, kind: 'reference', most: 100 },
          timeoutSeconds: 8,
          artefacts: [{ path: 'out.txt' }],
          sandbox: 'none',
          env: { STARTS: at('starts'), BUSY: at('busy'), AGAIN: at('again') },
        },
        search: { parent: 'original', proposer: 'random' },
      },
      files: { 'workspace/run.sh': RUN },
    });
    writeFileSync(at('starts'), '');
    writeFileSync(at('busy'), '');
    await stack.startResearch('starved', { task, window: 1, budget: { trials: 1 } });
    await expect.poll(() => existsSync(at('again'))).toBe(true);
    keepCoresBusy();
    await stack.until(
      'the run to be contended',
      `select count(*) > 0 as done, json_agg("end") from runs where contention is not null`,
    );
    endOthers();
    rmSync(at('busy'));
    await untilStopped(stack, 'starved');
    const trials = await stack.query(
      `select kind, status, failure from trials where research_id = 'starved' and kind <> 'baseline' order by n`,
    );
    expect(trials).toEqual([
      { kind: 'search', status: 'completed', failure: null },
      { kind: 'confirm', status: 'completed', failure: null },
    ]);
    const runs = await stack.query<{ reason: string; contention: string | null }>(
      `select "end"->>'reason' as reason, contention from runs join trials on trials.id = trial_id
       where research_id = 'starved' and kind = 'confirm' order by runs.placement`,
    );
    expect(runs[0]?.reason).toBe('wall');
    expect(runs[0]?.contention).toMatch(
      /^other processes kept the run from a CPU for .* of its .*; load .* on \d+ core/,
    );
    expect(runs.at(-1)).toEqual({ reason: 'exit', contention: null });
  },
);
