import { openRepository, prefixIn } from '../../infra/git/open-repository.ts';
import { configOf } from '../context.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { requireExportable } from './export-claims.ts';
import { asRefusal, followClaims } from './follow-claims.ts';

interface Request {
  /** A repository; true: the repository of the source; absent: none. */
  git?: string | true;
  /** Folder of the program that the task is made of; absent for any other task. */
  source?: string;
}

/** Repository to which a research's claims go, and the path of the workspace in it. */
export interface Export {
  out: string;
  path: string;
}

/**
 * Finds the repository of `--git`, before the research starts; null if there is no such option. The workspace gets the
 * path of the source in the repository. Throws CliError if Git is missing or the folder is not suitable.
 */
export async function planExport(io: Io, { git, source }: Request): Promise<Export | null> {
  if (git === undefined) return null;
  const { env } = configOf(io);
  const inside = source === undefined ? null : await prefixIn(source, env).catch(asRefusal);
  const out = git === true ? inside && source : git;
  if (!out)
    throw refused(
      'Expected --git REPO, since there is no source in a Git repository; got --git alone. Nothing was started.',
    );
  const { gitDir } = await openRepository(out, env).catch(asRefusal);
  return { out, path: inside?.gitDir === gitDir ? inside.prefix : '' };
}

/** Refuses a repository whose branch of this research cannot take a commit. */
export async function requireBranch(io: Io, researchId: string, { out }: Export): Promise<void> {
  const repository = await openRepository(out, configOf(io).env).catch(asRefusal);
  await requireExportable(repository, researchId).catch(asRefusal);
}

/** Writes the claims of a started research as they come. */
export const followStarted = (io: Io, researchId: string, plan: Export & { json?: boolean }): Promise<void> =>
  followClaims(io, researchId, { ...plan, follow: true });
