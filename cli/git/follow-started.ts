import { openRepository, prefixIn } from '../../infra/git/open-repository.ts';
import { configOf } from '../context.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { followClaims } from './follow-claims.ts';

interface Started {
  /** A repository; true: the repository of the source. */
  git: string | true;
  /** Folder of the program that the task was made of; absent for any other task. */
  source?: string;
  json?: boolean;
}

/** Writes the claims of a started research as they come. The workspace has the path of the source in the repository. */
export async function followStarted(io: Io, researchId: string, { git, source, json = false }: Started): Promise<void> {
  const { env } = configOf(io);
  const inside = source === undefined ? null : await prefixIn(source, env);
  const out = git === true ? inside && source : git;
  if (!out)
    throw refused(
      `The research ${researchId} was started. Expected --git REPO, since there is no source in a Git repository. ` +
        `Follow it: npx perpetua git ${researchId} --follow --out REPO`,
    );
  const { gitDir } = await openRepository(out, env);
  const path = inside?.gitDir === gitDir ? inside.prefix : '';
  await followClaims(io, researchId, { out, path, follow: true, json });
}
