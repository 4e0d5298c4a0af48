import { openRepository, prefixIn } from '../../infra/git/open-repository.ts';
import { configOf } from '../context.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { followClaims } from './follow-claims.ts';

interface Started {
  /** A repository; true: the one that the source is in. */
  git: string | true;
  /** The program's folder, where the task was made of one. */
  source?: string;
  json?: boolean;
}

/** Follows a research that was started, claim by claim; its workspace lies in the repository where the source lies in it. */
export async function followStarted(io: Io, researchId: string, { git, source, json = false }: Started): Promise<void> {
  const { env } = configOf(io);
  const inside = source === undefined ? null : await prefixIn(source, env);
  const out = git === true ? inside && source : git;
  if (!out)
    throw refused(
      `The research ${researchId} was started. Expected --git REPO: no source lies in a Git repository. Follow it: npx perpetua git ${researchId} --follow --out REPO`,
    );
  const { gitDir } = await openRepository(out, env);
  const path = inside?.gitDir === gitDir ? inside.prefix : '';
  await followClaims(io, researchId, { out, path, follow: true, json });
}
