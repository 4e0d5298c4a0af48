import { matchesCreate } from '../../domain/edit/scope/edit-scope.ts';
import { runtimeOf } from '../../domain/metric/runtime.ts';
import type { Db } from '../../db/connect.ts';
import { readWorkspace } from '../../db/reads/read-files.ts';
import { readTrial } from '../../db/reads/read-trial.ts';
import { readArtefacts } from '../../db/reads/trial/read-artefacts.ts';
import { findInstallation } from '../../db/research/research.ts';
import { loadTaskFiles, loadTaskVersion } from '../../db/task/task-version.ts';
import { loadTrial } from '../../db/trial/proposal.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import type { ArtefactEvaluation } from './evaluate.ts';
import { buildProgramPath } from './build-program-path.ts';

export interface GatherOptions {
  io: Io;
  home: string;
  signal: AbortSignal;
  trialId: string;
  /** Version of the task whose evaluator scores; default: the run's own, which the research may have replaced. */
  evaluatorOf?: string;
}

/** Loads all inputs that the evaluator received when the run of a trial ended, and the run's workspace. */
export async function gatherEvaluation(db: Db, options: GatherOptions) {
  const { trialId, home, io, signal } = options;
  const trial = await loadTrial(db, trialId);
  const { candidateId, taskHash } = trial;
  const run = (await readTrial(db, { trialId }))?.runs[0];
  const workspace = candidateId === null ? undefined : await readWorkspace(db, { candidateId, taskHash });
  if (!run?.end || !workspace) throw new Error(`Expected the run of ${trialId} in the database, found none`);
  const version = await loadTaskVersion(db, options.evaluatorOf ?? taskHash);
  const { task } = version;
  const artefacts = await requireArtefacts(db, { jobId: trialId, placement: run.placement });
  const mutable = workspace.filter(
    ({ path }) => version.mutablePaths.includes(path) || matchesCreate(path, task.edits),
  );
  const runtime = runtimeOf({
    end: run.end as RunEnd,
    machine: run.machine,
    artefacts,
    mutableBytes: mutable.reduce((sum, { content }) => sum + content.length, 0),
  });
  const evaluatorFiles = await loadTaskFiles(db, { taskHash: version.hash, role: 'evaluator' });
  const { secret } = await findInstallation(db);
  const environmentFiles = await loadTaskFiles(db, { taskHash: version.hash, role: 'environment' });
  const path = await buildProgramPath(io, { task, environmentFiles, signal });
  const evaluation = { home, task, evaluatorFiles, artefacts, runtime, path, secret } satisfies ArtefactEvaluation;
  return { evaluation, trial, version, workspace };
}

/** Reads the artefacts of a run. Refuses if the run has none, or if `perpetua clean` has removed their contents. */
async function requireArtefacts(db: Db, key: { jobId: string; placement: number }) {
  const artefacts = await readArtefacts(db, key);
  const again =
    `To make it again, write the trial out (npx perpetua show ${key.jobId} --out DIR) ` +
    'and run its files with its seed';
  if (artefacts.length === 0)
    throw refused(`Expected artefacts of ${key.jobId}, it left none. Name them under run.artefacts in the task.`);
  return artefacts.map(({ path, content }) => {
    if (content === null)
      throw refused(
        `Expected the artefact ${path} of ${key.jobId}; perpetua clean has removed its contents. ${again}.`,
      );
    return { path, content };
  });
}
