import { runGit } from './run-git.ts';

/** A change of one file; `file: null` removes it. */
export interface FileChange {
  path: string;
  file: { content: Uint8Array; executable: boolean } | null;
}

export interface Commit {
  message: string;
  at: Date;
  changes: readonly FileChange[];
}

const AUTHOR = 'Perpetua <perpetua@localhost>';

/**
 * Appends commits to a branch, all of them or none, without touching a working tree or an index. The same commits on
 * the same parent have the same hashes, so a repeat, or another process with the same commits, makes no duplicates.
 * `parent`: the commit before the first one, null for none.
 */
export async function importCommits(
  repository: { gitDir: string; env: Readonly<Record<string, string>> },
  { branch, parent, commits }: { branch: string; parent: string | null; commits: readonly Commit[] },
): Promise<void> {
  const parts = commits.flatMap((commit, index) => [
    text(`commit refs/heads/${branch}\n`),
    text(`author ${AUTHOR} ${seconds(commit.at)} +0000\ncommitter ${AUTHOR} ${seconds(commit.at)} +0000\n`),
    ...data(Buffer.from(commit.message)),
    ...(index === 0 && parent !== null ? [text(`from ${parent}\n`)] : []),
    ...commit.changes.flatMap(changed),
    text('\n'),
  ]);
  const args = ['--git-dir', repository.gitDir, 'fast-import', '--quiet', '--done', '--date-format=raw'];
  await runGit({ cwd: repository.gitDir, args, env: repository.env, stdin: [...parts, text('done\n')] });
}

function changed({ path, file }: FileChange): Uint8Array[] {
  const quoted = `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  if (file === null) return [text(`D ${quoted}\n`)];
  return [text(`M ${file.executable ? '100755' : '100644'} inline ${quoted}\n`), ...data(file.content)];
}

const text = (line: string): Uint8Array => Buffer.from(line);
const data = (content: Uint8Array): Uint8Array[] => [text(`data ${content.length}\n`), content, text('\n')];
const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);
