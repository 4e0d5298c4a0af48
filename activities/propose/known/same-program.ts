import { noveltyOf } from '../../../domain/search/novelty.ts';
import { samenessContent } from '../../../domain/search/known/sameness.ts';
import type { NewCandidate } from '../../../db/trial/candidate.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { ActivityDeps, PickDeps } from '../../deps.ts';

type Deps = Pick<ActivityDeps, 'store' | 'syntax'> & PickDeps<'machine', 'sha256'>;
type Proposing = { deps: Deps; trial: Trial; version: TaskVersion };

/**
 * The hash that a candidate shares with the candidates of the same program; null if the search compares texts only.
 * Before that, it stores the hashes that earlier candidates of the research lack, such as the original's.
 */
export async function samenessFor(
  { deps, trial, version }: Proposing,
  { immutableHash, files }: Pick<NewCandidate, 'immutableHash' | 'files'>,
): Promise<string | null> {
  if (!noveltyOf(version.task.search.novelty).bySyntax) return null;
  const { store } = deps;
  const lacking = await store.trial.findWithoutSameness({ researchId: trial.researchId, immutableHash });
  for (const id of lacking) {
    const sameness = await hashOf(deps, { immutableHash, files: await store.trial.loadCandidateFiles(id) });
    await store.trial.saveSameness({ id, sameness });
  }
  return hashOf(deps, { immutableHash, files });
}

async function hashOf(
  { syntax, machine }: Deps,
  { immutableHash, files }: Pick<NewCandidate, 'immutableHash' | 'files'>,
): Promise<string> {
  return machine.sha256(samenessContent(await syntax.readAll(files), immutableHash));
}

/** The known candidate of the same program as a candidate, with the number of its first trial; null: none. */
export async function findSameProgram(
  { store }: { store: Pick<ActivityDeps['store'], 'trial'> },
  { trial, candidate }: { trial: Trial; candidate: NewCandidate },
): Promise<{ id: string; n: number } | null> {
  const { id: candidateId, sameness } = candidate;
  if (!sameness) return null;
  const found = await store.trial.findSameCandidate({ researchId: trial.researchId, candidateId, sameness });
  return found === undefined || found.id === candidateId ? null : found;
}
