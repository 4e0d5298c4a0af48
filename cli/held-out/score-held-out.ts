import { createHash } from 'node:crypto';
import { changeTaskCommand } from '../../domain/messages/steer-commands.ts';
import { publicSeedOf } from '../../domain/certificate/certificate.ts';
import type { Db } from '../../db/connect.ts';
import { readBest } from '../../db/reads/read-best.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import {
  countHeldOutScores,
  findFirstScored,
  findHeldOutScore,
  keepHeldOutScore,
  type HeldOutScore,
} from '../../db/research/held-out.ts';
import { evaluateArtefacts, requireArtefactEvaluator } from '../certificate/evaluate.ts';
import { gatherEvaluation } from '../certificate/gather-evaluation.ts';
import { CliError, refused } from '../errors.ts';
import type { Io } from '../io.ts';

interface Options {
  io: Io;
  home: string;
  signal: AbortSignal;
}

/** A held-out score. `isNew`: this call made it; otherwise it is the stored one of an earlier call. */
export type HeldOut = HeldOutScore & { isNew: boolean };

export interface HeldOutReport {
  best: HeldOut;
  /** Score of the unmodified workspace; null if that is the best. */
  baseline: HeldOut | null;
  /** Number of candidates of the research that have a held-out score, this one included. */
  scored: number;
}

/**
 * Scores the best of a research, and its unmodified workspace, on the task's held-out data. Each candidate is scored
 * once: the score is stored, and later calls return it. Nothing of the search reads it.
 */
export async function scoreHeldOut(db: Db, research: ResearchView, options: Options): Promise<HeldOutReport> {
  const command = requireHeldOut(research);
  const best = await readBest(db, { research });
  if (!best)
    throw new CliError(
      'failed',
      `${research.id} has no best yet: its baseline is not measured. See: npx perpetua status ${research.id}`,
    );
  const { id: researchId, baselineCandidate } = research;
  const scoreOnce = async (candidateId: string): Promise<HeldOut> => {
    const stored = await findHeldOutScore(db, { researchId, candidateId });
    if (stored) return { ...stored, isNew: false };
    const scored = await findFirstScored(db, { researchId, candidateId });
    if (scored === undefined)
      throw new CliError('failed', `Expected a scored run of candidate ${candidateId} in ${researchId}, found none`);
    return scoreTrial(db, { ...options, research, command, candidateId, trialId: scored });
  };
  const ofBest = await scoreOnce(best.candidateId);
  const isBaseline = best.candidateId === baselineCandidate;
  return {
    best: ofBest,
    baseline: isBaseline ? null : await scoreOnce(baselineCandidate),
    scored: await countHeldOutScores(db, { researchId, baselineCandidate }),
  };
}

interface Scoring extends Options {
  research: ResearchView;
  command: string;
  candidateId: string;
  trialId: string;
}

/** Scores the artefacts of one run, with a seed that follows from them, and stores the score. */
async function scoreTrial(db: Db, { research, command, candidateId, trialId, ...options }: Scoring): Promise<HeldOut> {
  const gathered = await gatherEvaluation(db, { ...options, trialId, evaluatorOf: research.taskHash });
  const { evaluation, version } = gathered;
  const artefacts = evaluation.artefacts.map(({ path, content }) => ({
    path,
    sha256: sha256(content),
    bytes: content.length,
  }));
  const { hash, evaluatorHash } = version;
  const seed = publicSeedOf({ task: { name: version.task.name, hash, evaluatorHash }, artefacts }, sha256);
  const value = await evaluateArtefacts({ ...evaluation, command }, seed, options.signal);
  const stored = await keepHeldOutScore(db, { researchId: research.id, candidateId, trialId, taskHash: hash, value });
  return { ...stored, isNew: true };
}

/** Returns the command of the task's held-out score. */
function requireHeldOut({ id, task }: ResearchView): string {
  const { heldOut } = requireArtefactEvaluator(task);
  if (heldOut !== undefined) return heldOut;
  throw refused(
    `Expected evaluator.heldOut in the task of ${id}: a command that scores artefacts on data that no search sees. ` +
      `Add it to task.yaml, then: ${changeTaskCommand(id, 'DIR')}`,
  );
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
