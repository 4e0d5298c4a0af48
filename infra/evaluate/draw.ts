import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SetupFailedError } from '../compute.ts';
import type { DrawSpec } from '../evaluate.ts';
import { writeFiles } from '../files.ts';
import { removeTree } from '../remove-tree.ts';
import { evaluatorEnvironment } from './environment.ts';
import { freshDirectory } from './lay-out.ts';

/** As much as a workspace may hold. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Runs a command of the task's in a fresh copy of its evaluator: what it prints. Throws SetupFailedError with the end of its words. */
export async function draw(home: string, { files, command, secret, timeoutSeconds }: DrawSpec): Promise<Uint8Array> {
  const directory = await freshDirectory(home);
  try {
    await writeFiles(directory, files);
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], {
      cwd: directory,
      encoding: 'buffer',
      maxBuffer: MOST_BYTES,
      timeout: timeoutSeconds * 1000,
      env: {
        ...evaluatorEnvironment(directory),
        PERPETUA_TASK_SECRET: secret,
      },
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: Buffer };
    throw new SetupFailedError(
      `evaluator.draws: expected ${JSON.stringify(command)} to print a file within ${timeoutSeconds} s; ${message.split('\n')[0]}`,
      stderr?.toString('utf8').slice(-4096) ?? '',
    );
  } finally {
    await removeTree(directory);
  }
}
