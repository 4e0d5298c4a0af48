import { createHash } from 'node:crypto';
import { Certificate, publicSeedOf } from '../../domain/certificate/certificate.ts';
import { matchesCreate } from '../../domain/edit/scope/edit-scope.ts';
import { runtimeOf } from '../../domain/metric/runtime.ts';
import { secretText } from '../../domain/task/secret-text.ts';
import type { Db } from '../../db/connect.ts';
import { readWorkspace, type WorkspaceFile } from '../../db/reads/read-files.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { readTrial } from '../../db/reads/read-trial.ts';
import { readArtefacts } from '../../db/reads/trial/read-artefacts.ts';
import { readSingleBest } from '../../db/reads/read-best.ts';
import { findInstallation } from '../../db/research/research.ts';
import { loadTaskFiles, loadTaskVersion } from '../../db/task/task-version.ts';
import { loadTrial } from '../../db/trial/proposal.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { CliError, refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { VERSION } from '../version.ts';
import { evaluateArtefacts, requireArtefactEvaluator, type ArtefactEvaluation } from './evaluate.ts';
import { buildProgramPath } from './build-program-path.ts';

export interface Made {
  certificate: Certificate;
  /** `certificate.json`, `artefacts/` and `workspace/`. */
  files: WorkspaceFile[];
}

interface Options {
  io: Io;
  home: string;
  signal: AbortSignal;
  now: Date;
}

/** Scores the stored artefacts of a research's best run again and returns the certificate with its files. */
export async function makeCertificate(db: Db, research: ResearchView, options: Options): Promise<Made> {
  const { task, taskHash } = research;
  requireArtefactEvaluator(task);
  const trialId = await readSingleBest(db, { researchId: research.id, taskHash, direction: task.metric.direction });
  if (trialId === null)
    throw new CliError(
      'failed',
      `${research.id} has no run yet that can have a certificate. Expected a run that the task's present ` +
        'evaluator and metric scored, and that could not write its own score. ' +
        `See: npx perpetua log ${research.id}`,
    );
  const { evaluation, trial, version, workspace } = await gather(db, { ...options, trialId });
  const { candidateId, seed, value } = trial;
  const { hash, evaluatorHash } = version;
  const { name, direction, unit = null } = version.task.metric;
  const scored = {
    task: { name: version.task.name, hash, evaluatorHash },
    artefacts: evaluation.artefacts.map(({ path, content }) => ({
      path,
      sha256: sha256(content),
      bytes: content.length,
    })),
  };
  const publicSeed = publicSeedOf(scored, sha256);
  const certificate = Certificate.parse({
    certificate: 1,
    ...scored,
    metric: { name, direction, unit },
    research: research.id,
    trialId,
    candidateId,
    seed,
    value: {
      stored: value,
      // Release 0.1 stored no evaluator seed.
      again: await evaluateArtefacts(evaluation, trial.evaluatorSeed ?? publicSeed, options.signal),
      public: await evaluateArtefacts(evaluation, publicSeed, options.signal),
    },
    publicSeed,
    repeatable: secretText(version.task) === null,
    runtime: evaluation.runtime,
    at: options.now.toISOString(),
    versions: { perpetua: VERSION, node: process.version },
  });
  const text = Buffer.from(`${JSON.stringify(certificate, null, 2)}\n`);
  const files = [
    { path: 'certificate.json', content: text, executable: false },
    ...evaluation.artefacts.map(({ path, content }) => ({ path: `artefacts/${path}`, content, executable: false })),
    ...workspace.map((file) => ({ ...file, path: `workspace/${file.path}` })),
  ];
  return { certificate, files };
}

/** Loads all inputs that the evaluator received when the run ended, and the run's workspace. */
async function gather(db: Db, { trialId, home, io, signal }: Options & { trialId: string }) {
  const trial = await loadTrial(db, trialId);
  const { candidateId, taskHash } = trial;
  const run = (await readTrial(db, { trialId }))?.runs[0];
  const workspace = candidateId === null ? undefined : await readWorkspace(db, { candidateId, taskHash });
  if (!run?.end || !workspace) throw new Error(`Expected the run of ${trialId} in the database, found none`);
  const version = await loadTaskVersion(db, taskHash);
  // The run's own task version: the research may have a newer one by now, with another Python environment.
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
  const evaluatorFiles = await loadTaskFiles(db, { taskHash, role: 'evaluator' });
  const { secret } = await findInstallation(db);
  const environmentFiles = await loadTaskFiles(db, { taskHash, role: 'environment' });
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

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
