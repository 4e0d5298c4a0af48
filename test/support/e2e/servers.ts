import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { runName } from '../../../infra/compute/run-protocol/paths.ts';
import { expectNoProcesses, processesOf } from '../database/ledger.ts';
import type { TestStack, TestWorker } from '../stack.ts';
import { writeTask, type TaskFiles } from '../tasks.ts';
import { SOON } from './commands.ts';
import { expectJobsClosed, type LiveRun, liveRun, runDirectories } from './live-run.ts';

export const READY = ['--ready', 'serves at'];

/** Kills the server itself, not its supervisor. */
export const kill = (pid: number): boolean => process.kill(pid, 'SIGKILL');

/** Verbs on the servers that `perpetua run --ready` runs on one stack. */
export function serversOf(stack: () => TestStack) {
  /** A task whose runs would end after two seconds, were they no servers. */
  const taskNamed = (name: string, more: TaskFiles['task'] = {}): Promise<string> =>
    writeTask(join(stack().home, 'tasks', name), {
      task: {
        name,
        run: {
          command: 'sh run.sh',
          budget: { seconds: 1, kind: 'cpu' },
          artefacts: [{ path: 'out.txt' }],
          timeoutSeconds: 2,
          graceSeconds: 1,
          sandbox: 'none',
        },
        ...more,
      },
      files: { 'workspace/data.txt': 'here it is\n' },
    });

  const start = (...argv: string[]): LiveRun => liveRun(stack(), argv);

  /** A server that notes its starts outside the run, prints that it serves, and then becomes a sleep. */
  function server(
    name: string,
    seconds: number,
  ): { words: string[]; starts: () => string; pid: () => Promise<number> } {
    const starts = join(stack().home, `starts-${name}`);
    const script = `echo x >> ${starts}; cat data.txt; echo "serves at 0"; exec sleep ${seconds}`;
    const pids = (): string[] => processesOf(stack().home).filter((line) => line.endsWith(`: sleep ${seconds} `));
    return {
      words: [...READY, '--', script],
      starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8') : ''),
      // The server prints that it serves a moment before it becomes the sleep.
      pid: async () => {
        await vi.waitFor(() => expect(pids()).toHaveLength(1), SOON);
        return parseInt(pids()[0] ?? '');
      },
    };
  }

  const directoriesOf = (id: string): string[] => {
    const prefix = runName({ jobId: id, placement: 0 }).replace(/0$/, '');
    return runDirectories(stack(), (name) => name.startsWith(prefix));
  };

  /** Ends a server by Ctrl-C, and expects that nothing of it stays. */
  async function end(asked: LiveRun): Promise<void> {
    asked.interrupt();
    expect(await asked.ended).toMatchObject({ code: 0 });
    await expectNothingLeft(asked.id());
  }

  async function expectNothingLeft(id: string): Promise<void> {
    await expectJobsClosed(stack());
    expect(directoriesOf(id)).toEqual([]);
    await expectNoProcesses(stack().home);
    const [job] = await stack().query(`select kind, ending ->> 'why' as why from jobs where id = $1`, [id]);
    expect(job).toEqual({ kind: 'server', why: 'cancelled' });
  }

  const untilReady = (id: string, times = 1): Promise<void> =>
    stack().until(
      `it to be ready in ${times} runs`,
      'select count(*) = $2 as done, count(*) from runs where trial_id = $1 and ready_at is not null',
      [id, times],
    );

  const detailsOf = async (id: string): Promise<string> => {
    const handle = stack().client.workflow.getHandle(id);
    return (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  };

  /** Runs a server whose only worker dies once at a kill point. Expects the same process, or one new start of it. */
  const survive = async (
    worker: TestWorker,
    { killAt, task, restart }: { killAt: KillPoint; task: string; restart: () => Promise<void> },
  ): Promise<void> => {
    const { words, pid, starts } = server(killAt, 4854);
    const isAtEnd = killAt === 'run-ended' || killAt === 'restart-due';
    const isBefore = killAt === 'run-launched' || killAt === 'mid-run';
    if (isBefore) worker.dieAt(killAt);
    const asked = start(task, ...words);
    await vi.waitFor(() => expect(starts()).toBe('x\n'), SOON);
    if (!isBefore) {
      await untilReady(asked.id());
      worker.dieAt(killAt);
    }
    if (isAtEnd) kill(await pid());
    if (killAt === 'job-ended') asked.interrupt();
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    const before = isBefore ? await pid() : null;
    await restart();
    await untilReady(asked.id(), isAtEnd ? 2 : 1);
    if (before !== null) expect(await pid()).toBe(before);
    await end(asked);
    expect(starts()).toBe(isAtEnd ? 'x\nx\n' : 'x\n');
  };

  return { detailsOf, directoriesOf, end, expectNothingLeft, server, start, survive, taskNamed, untilReady };
}
