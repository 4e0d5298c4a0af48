import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM_PATH } from '../../system-path.ts';
import { controlFiles } from '../run-protocol/control-files.ts';
import type { SupervisedRun } from '../run-protocol/spec.ts';

/** Makes a control directory with its files; not atomic. */
export async function writeControl(directory: string, run: SupervisedRun): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const { name, text } of controlFiles(run)) await writeFile(join(directory, name), text, { mode: 0o600 });
}

/** A supervisor that was started. */
export interface StartedSupervisor {
  process: ChildProcess;
  /** Exit code; null if a signal ended it. The listener exists from the start, since the process may end at once. */
  exited: Promise<number | null>;
}

/**
 * Starts a detached supervisor. `talk`: with pipes on 0, 1 and 2, and a lifeline on 3, whose end stops the program.
 * `resultFd`: with one more pipe on that descriptor.
 */
export async function startSupervisor(
  supervisor: string,
  control: string,
  options: { talk: boolean; resultFd?: number },
): Promise<StartedSupervisor> {
  const log = await open(join(control, 'supervisor.log'), 'a', 0o600);
  const talk: Exclude<StdioOptions, string> = ['pipe', 'pipe', 'pipe', 'pipe'];
  if (options.resultFd !== undefined) {
    while (talk.length < options.resultFd) talk.push('ignore');
    talk.push('pipe');
  }
  try {
    const child = spawn('/bin/sh', [supervisor, control], {
      cwd: '/',
      detached: true,
      // The PATH of the worker must not decide which tools the supervisor uses.
      env: { PATH: SYSTEM_PATH },
      stdio: options.talk ? talk : ['ignore', log.fd, log.fd],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return { process: child, exited };
  } finally {
    // Not awaited: output of a process that ends before the caller adds its listeners would be lost.
    log.close().catch(() => undefined);
  }
}
