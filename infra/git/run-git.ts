import { spawn } from 'node:child_process';
import { PLAIN_OUTPUT } from '../plain-output.ts';

/** A failure of Git, with Git's message. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

interface Call {
  /** Working directory. */
  cwd: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  stdin?: readonly Uint8Array[];
}

/** Runs one command of Git and returns its output without the last newline. Throws GitError. */
export async function runGit({ cwd, args, env, stdin = [] }: Call): Promise<string> {
  // Drops GIT_* variables: a repository, index or identity of the caller's shell is meant for another command.
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
  const child = spawn('git', args, { cwd, env: { ...rest, ...PLAIN_OUTPUT, GIT_TERMINAL_PROMPT: '0' }, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // If Git ends before it has read its input, its exit code reports the failure.
  child.stdin.on('error', () => undefined);
  for (const part of stdin) child.stdin.write(part);
  child.stdin.end();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new GitError(error.code === 'ENOENT' ? 'Expected git on the PATH, found none: install it.' : error.message),
      ),
    );
    child.once('close', resolve);
  });
  if (code !== 0) throw new GitError(`git ${args[0] ?? ''} failed: ${stderr.trim() || `exit code ${code}`}`);
  return stdout.replace(/\n$/, '');
}
