import { spawn } from 'node:child_process';

/** Git could not do what was asked; the message is its own. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

interface Call {
  /** Where it is called. */
  cwd: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  stdin?: readonly Uint8Array[];
}

/** Runs one command of Git and returns what it printed, without the last line's end. Throws GitError where it fails or is not there. */
export async function runGit({ cwd, args, env, stdin = [] }: Call): Promise<string> {
  // A repository, index or identity of the caller's shell is meant for another command.
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
  const child = spawn('git', args, { cwd, env: { ...own, GIT_TERMINAL_PROMPT: '0' }, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // One that ends early says why by its exit code.
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
