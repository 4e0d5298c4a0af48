import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { runName } from '../../../infra/compute/run-protocol/paths.ts';
import type { TestStack, TestWorker } from '../stack.ts';
import { heldCommand } from './held-command.ts';
import { expectJobsClosed, type LiveRun, liveRun, runDirectories } from './live-run.ts';

export const SOON = { timeout: 60_000, interval: 100 };

/** Verbs on the commands that `perpetua run` runs on one stack. */
export function commandsOf(stack: () => TestStack) {
  const start = (...argv: string[]): LiveRun => liveRun(stack(), argv);
  const held = (name: string) => heldCommand(stack(), name);
  const directoriesOf = (id: string): string[] => {
    const name = runName({ jobId: id, placement: 0 });
    return runDirectories(stack(), (found) => found === name);
  };
  const expectNothingLeft = async (id: string): Promise<void> => {
    await expectJobsClosed(stack());
    expect(directoriesOf(id)).toEqual([]);
  };

  /** Runs a command whose only worker dies once at a kill point. Expects one run, and each line of its output once. */
  const survive = async (
    worker: TestWorker,
    { killAt, task, restart }: { killAt: KillPoint; task: string; restart: () => Promise<void> },
  ): Promise<void> => {
    const { args: words, release, starts } = held(killAt);
    worker.dieAt(killAt);
    const asked = start(task, ...words);
    if (killAt === 'run-ended' || killAt === 'job-ended') release();
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    await restart();
    if (existsSync(join(stack().home, `hold-${killAt}`))) release();
    expect(await asked.ended).toMatchObject({ code: 0 });
    expect(asked.stdout()).toBe('began\nwent on\n');
    expect(starts()).toBe('x\n');
    await expectNothingLeft(asked.id());
  };

  return { directoriesOf, expectNothingLeft, held, start, survive };
}
