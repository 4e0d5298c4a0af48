import { SandboxMissingError } from '../../domain/fault/sandbox-missing.ts';
import type { EvaluatorSandbox } from '../compute/local/evaluator-sandbox.ts';
import { foldersIn } from '../compute/local/evaluator-sandbox.ts';
import type { CheckResult, CheckSpec } from '../evaluate.ts';
import { writeFiles } from '../files.ts';
import { removeTree } from '../remove-tree.ts';
import { freshDirectory } from './lay-out.ts';
import { evaluatorEnvironment } from './start-evaluator.ts';
import { startInSandbox } from './start-in-sandbox.ts';

/**
 * Runs a command beside a candidate's files in a sandbox, which has no network and sees nothing of an evaluator. Throws
 * SandboxMissingError.
 */
export async function check(
  { home, sandbox }: { home: string; sandbox: EvaluatorSandbox },
  { files, command, path, timeoutSeconds, memoryMb }: CheckSpec,
  signal: AbortSignal,
): Promise<CheckResult> {
  signal.throwIfAborted();
  if (!(await sandbox.isAvailable())) throw new SandboxMissingError();
  const directory = await freshDirectory(home);
  try {
    const { work } = foldersIn(directory);
    await writeFiles(work, files);
    const program = await startInSandbox(sandbox, {
      directory,
      command,
      env: evaluatorEnvironment({ directory: work, path }),
      path,
      readable: [],
      network: false,
      gpu: false,
      relay: null,
      laid: files,
      limits: { memoryMb },
    });
    program.stdin.end();
    program.stdout.setEncoding('utf8').on('data', (text: string) => program.log.add(text));
    let isOverdue = false;
    const stop = (): void => program.stop();
    const timer = setTimeout(() => {
      isOverdue = true;
      stop();
    }, timeoutSeconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
    const {
      code,
      signal: endedBy,
      excess,
    } = await program.ended.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
    signal.throwIfAborted();
    const log = withoutFolder(program.log.text, work).trim();
    if (isOverdue) return { problem: `took longer than ${timeoutSeconds} s`, log };
    if (excess !== null) return { problem: `used more than ${excess}`, log };
    return { problem: code === 0 ? null : `ended with ${code === null ? endedBy : `exit code ${code}`}`, log };
  } finally {
    await removeTree(directory);
  }
}

/** Removes the folder of the files, which is another one for each check, from a text that a proposer may read. */
const withoutFolder = (text: string, folder: string): string =>
  text.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
