import { createHash } from 'node:crypto';
import { Certificate, publicSeedOf } from '../../domain/certificate/certificate.ts';
import { secretText } from '../../domain/task/secret-text.ts';
import type { Db } from '../../db/connect.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { readSingleBest } from '../../db/reads/read-best.ts';
import { CliError } from '../errors.ts';
import type { Io } from '../io.ts';
import { VERSION } from '../version.ts';
import { evaluateArtefacts, requireArtefactEvaluator } from './evaluate.ts';
import { gatherEvaluation } from './gather-evaluation.ts';

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
  const { evaluation, trial, version, workspace } = await gatherEvaluation(db, { ...options, trialId });
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

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
