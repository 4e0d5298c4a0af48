import { mkdir, readdir } from 'node:fs/promises';
import { GitError, runGit } from './run-git.ts';

export interface Repository {
  gitDir: string;
  env: Readonly<Record<string, string>>;
  /** The commit that a name stands for; null if there is none. */
  commitOf: (name: string) => Promise<string | null>;
  /** The whole message of a commit. */
  messageOf: (commit: string) => Promise<string>;
  /** Full names of the branches that any working tree has checked out. */
  checkedOut: () => Promise<string[]>;
}

/** Opens the repository of a folder; makes a new or empty folder a repository. Throws GitError. */
export async function openRepository(folder: string, env: Readonly<Record<string, string>>): Promise<Repository> {
  await mkdir(folder, { recursive: true });
  const inside = await askInside(folder, ['--absolute-git-dir'], env);
  if (inside === null && (await readdir(folder)).length > 0)
    throw new GitError(
      `Expected a Git repository, or a new or empty folder; ${folder} holds files and is in no repository. ` +
        'Run git init there, or name another folder.',
    );
  if (inside === null) await runGit({ cwd: folder, args: ['init', '--quiet'], env });
  const gitDir = inside ?? (await runGit({ cwd: folder, args: ['rev-parse', '--absolute-git-dir'], env }));
  const git = (...args: string[]) => runGit({ cwd: gitDir, args: ['--git-dir', gitDir, ...args], env });
  return {
    gitDir,
    env,
    commitOf: async (name) =>
      (await git('rev-parse', '--quiet', '--verify', `${name}^{commit}`).catch(() => '')) || null,
    messageOf: (commit) => git('show', '--no-patch', '--format=%B', commit),
    checkedOut: async () =>
      [...(await git('worktree', 'list', '--porcelain')).matchAll(/^branch (.+)$/gm)].map(([, name]) => name ?? ''),
  };
}

/** Path of a folder within its repository; null if it is in no repository. */
export async function prefixIn(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ gitDir: string; prefix: string } | null> {
  const found = await askInside(folder, ['--absolute-git-dir', '--show-prefix'], env);
  const [gitDir, prefix = ''] = found?.split('\n') ?? [];
  return gitDir === undefined ? null : { gitDir, prefix: prefix.replace(/\/$/, '') };
}

/** Runs `git rev-parse` in a folder; null if the folder is in no repository. */
async function askInside(
  folder: string,
  questions: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  return runGit({ cwd: folder, args: ['rev-parse', ...questions], env }).catch((error: unknown) => {
    if (error instanceof GitError && error.message.includes('not a git repository')) return null;
    throw error;
  });
}
