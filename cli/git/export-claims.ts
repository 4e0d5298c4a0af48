import { branchOf } from '../../domain/git/branch-name.ts';
import { parseClaim, commitMessage } from '../../domain/git/commit-message.ts';
import type { Db } from '../../db/connect.ts';
import { readClaimed, readClaimedFiles, type ClaimedAt } from '../../db/reads/read-claimed.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { importCommits, type Commit, type FileChange } from '../../infra/git/import-commits.ts';
import type { Repository } from '../../infra/git/open-repository.ts';
import { refused } from '../errors.ts';

interface Destination {
  repository: Repository;
  /** Path of the workspace in the repository; empty: the top folder. */
  path: string;
}

/**
 * Appends a commit for each claim that the research's branch lacks, and returns those claims. A new branch begins at
 * the commit that is checked out, if there is one. The trailer of the branch's last commit names the last exported
 * claim, so that a repetition, also after a kill, makes no second commit.
 */
export async function exportClaims(
  db: Db,
  research: ResearchView,
  { repository, path }: Destination,
): Promise<ClaimedAt[]> {
  const branch = branchOf(research.id);
  const { tip, last } = await readTip(repository, research.id);
  const claims = await readClaimed(db, { research, after: last });
  if (claims.length === 0) return [];
  await requireNotCheckedOut(repository, branch);
  let before: WorkspaceFile[] = [];
  if (tip !== null) {
    const exported = (await readClaimed(db, { research, after: -1 })).find(({ seq }) => seq === last);
    if (!exported) throw refused(`Expected claim ${last} of ${research.id}, the last on ${branch}, in this database.`);
    before = await readClaimedFiles(db, exported);
  }
  const commits: Commit[] = [];
  for (const claim of claims) {
    const files = await readClaimedFiles(db, claim);
    commits.push({ message: commitMessage(claim), at: claim.at, changes: changesOf(before, files, path) });
    before = files;
  }
  await importCommits(repository, { branch, parent: tip ?? (await repository.commitOf('HEAD')), commits });
  return claims;
}

/** Refuses a repository whose branch of this research cannot take the next commit. */
export async function requireExportable(repository: Repository, researchId: string): Promise<void> {
  await readTip(repository, researchId);
  await requireNotCheckedOut(repository, branchOf(researchId));
}

/** Last commit of a research's branch and the claim in it; null and -1 if there is no branch. */
async function readTip(repository: Repository, researchId: string): Promise<{ tip: string | null; last: number }> {
  const branch = branchOf(researchId);
  const tip = await repository.commitOf(`refs/heads/${branch}`);
  if (tip === null) return { tip, last: -1 };
  const found = parseClaim(await repository.messageOf(tip));
  if (found?.researchId === researchId) return { tip, last: found.seq };
  const got = found ? `a claim of the research ${found.researchId}` : 'a commit that Perpetua did not make';
  throw refused(
    `Expected the branch ${branch} to end with a claim of ${researchId}, it ends with ${got}. ` +
      `Rename the branch (git branch -m ${branch} NAME), and run the command again: it makes a new one.`,
  );
}

/** Refuses a branch that is checked out: its working tree would differ from the new commit. */
async function requireNotCheckedOut(repository: Repository, branch: string): Promise<void> {
  if ((await repository.checkedOut()).includes(`refs/heads/${branch}`))
    throw refused(
      `Expected the branch ${branch} not to be checked out: a new commit would make its working tree look changed. ` +
        'Check out another branch, or none (git checkout --detach), and try again.',
    );
}

function changesOf(before: readonly WorkspaceFile[], after: readonly WorkspaceFile[], path: string): FileChange[] {
  const at = (name: string): string => (path === '' ? name : `${path}/${name}`);
  const old = new Map(before.map((file) => [file.path, file]));
  const kept = new Set(after.map((file) => file.path));
  const isSame = (a: WorkspaceFile | undefined, b: WorkspaceFile): boolean =>
    a !== undefined && a.executable === b.executable && a.content.equals(b.content);
  return [
    ...before.filter((file) => !kept.has(file.path)).map((file) => ({ path: at(file.path), file: null })),
    ...after.filter((file) => !isSame(old.get(file.path), file)).map((file) => ({ path: at(file.path), file })),
  ];
}
