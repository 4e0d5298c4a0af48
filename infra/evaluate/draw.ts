import { SetupFailedError } from '../compute.ts';
import type { DrawSpec } from '../evaluate.ts';
import { writeFiles } from '../files.ts';
import { removeTree } from '../remove-tree.ts';
import { foldersIn } from '../compute/local/evaluator-sandbox.ts';
import { freshDirectory } from './lay-out.ts';
import type { EvaluatorProcess } from './read-evaluator.ts';
import { startEvaluator } from './start-evaluator.ts';

/** Most bytes of the file: the limit of a workspace. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Returns the output of a task's command in a fresh copy of the evaluator; throws SetupFailedError with its log. */
export async function draw(
  home: string,
  { files, command, path, secret, timeoutSeconds, gpus }: DrawSpec & { gpus?: Record<string, string> },
): Promise<Uint8Array> {
  const directory = await freshDirectory(home);
  try {
    const { work } = foldersIn(directory);
    await writeFiles(work, files);
    const program = startEvaluator({ command, directory: work, path, secret, gpus });
    program.stdin.end();
    const { printed, problem } = await endOf(program, timeoutSeconds);
    if (problem === null) return printed;
    throw new SetupFailedError(
      `evaluator.draws: expected ${JSON.stringify(command)} to print a file within ${timeoutSeconds} s; it ${problem}`,
      program.log.text.slice(-4096),
    );
  } finally {
    await removeTree(directory);
  }
}

/** Waits until the program and its children have ended; returns its output, and the problem that makes it unusable. */
async function endOf(
  program: EvaluatorProcess,
  timeoutSeconds: number,
): Promise<{ printed: Uint8Array; problem: string | null }> {
  let stopped: string | null = null;
  const stop = (why: string): void => {
    stopped ??= why;
    program.stop();
  };
  const parts: Buffer[] = [];
  let size = 0;
  program.stdout.on('data', (part: Buffer) => {
    size += part.length;
    if (size > MOST_BYTES) stop(`printed more than ${MOST_BYTES} bytes`);
    else parts.push(part);
  });
  const timer = setTimeout(() => stop('took longer'), timeoutSeconds * 1000);
  const { code, signal } = await program.ended.finally(() => clearTimeout(timer));
  const ended = code === 0 ? null : `ended with ${code === null ? signal : `exit code ${code}`}`;
  return { printed: Buffer.concat(parts), problem: stopped ?? ended };
}
