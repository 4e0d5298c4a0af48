import { branchOf } from '../../domain/git/branch-name.ts';
import { pathProblem } from '../../domain/text/path-problem.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { hasEnded } from '../../view/phase.ts';
import { readResearch } from '../../db/reads/read-research.ts';
import { openRepository, type Repository } from '../../infra/git/open-repository.ts';
import { configOf, withDb } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { followEvents } from '../follow-events.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { exportClaims } from './export-claims.ts';

interface Options {
  /** The repository's folder. */
  out: string;
  /** Path of the workspace in the repository. */
  path?: string;
  follow?: boolean;
  json?: boolean;
}

/** Writes the claims of a research into a Git repository. With `follow`, writes new claims until the research ends. */
export async function followClaims(io: Io, researchId: string, options: Options): Promise<void> {
  const path = (options.path ?? '').replace(/^\.?\/*|\/+$/g, '');
  const problem = path === '' ? null : pathProblem(path);
  if (problem !== null)
    throw refused(`--path: expected a folder inside the repository, got ${JSON.stringify(path)}: ${problem}.`);
  const repository = await openRepository(options.out, configOf(io).env).catch(asRefusal);
  const exportNow = () => exportOnce(io, researchId, { ...options, repository, path });
  if (options.follow) return followEvents(io, exportNow);
  await exportNow();
}

async function exportOnce(
  io: Io,
  researchId: string,
  { repository, path, out, follow, json }: Options & { repository: Repository; path: string },
): Promise<'over' | 'open'> {
  const { made, phase } = await withDb(io, async (db) => {
    const research = await readResearch(db, { researchId });
    if (!research) throw refused(`Expected the research ${researchId} in the database, found none.`);
    const made = await exportClaims(db, research, { repository, path }).catch(asRefusal);
    return { made, phase: research.phase };
  });
  const branch = branchOf(researchId);
  for (const { seq, trialId, candidateId, hypothesis } of made)
    if (json) printJson(io, { branch, claim: seq, trialId, candidateId });
    else
      printLine(
        io,
        `${branch}  claim ${seq}  ${trialId ?? 'the unmodified version'}  ${oneLine(hypothesis ?? '')}`.trimEnd(),
      );
  if (made.length === 0 && !follow) printNote(io, `note: ${branch} in ${out} has every claim of ${researchId}`);
  return hasEnded(phase) ? 'over' : 'open';
}

/** Rethrows an error of Git as one of the command. */
export function asRefusal(error: unknown): never {
  if (error instanceof Error && error.name === 'GitError')
    throw new CliError('failed', error.message, { cause: error });
  throw error;
}
