import { z } from 'zod';
import { strict } from '../issue/describe-issue.ts';
import { pathProblem } from '../text/path-problem.ts';
import { first31, type Hash as HashOf } from '../trial/trial-seeds.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/**
 * A certificate of one scored run, whose artefacts the trusted evaluator has scored again. Hashes are SHA-256 in hex;
 * values are in the metric's unit.
 */
export const Certificate = strict({
  certificate: z.literal(1),
  task: strict({ name: z.string(), hash: Hash, evaluatorHash: Hash }),
  metric: strict({
    name: z.string(),
    direction: z.enum(['minimize', 'maximize']),
    unit: z.string().nullable(),
  }),
  research: z.string(),
  trialId: z.string(),
  candidateId: Hash,
  /** PERPETUA_SEED of the run. */
  seed: z.number(),
  value: strict({
    /** Score when the run ended. */
    stored: z.number(),
    /** New score of the same artefacts under the same evaluator seed, which stays hidden. */
    again: z.number(),
    /** New score of the same artefacts under the public seed, which anyone can reproduce. */
    public: z.number(),
  }),
  /** PERPETUA_SEED of the reproducible evaluation; see {@link publicSeedOf}. */
  publicSeed: z.number().int(),
  /** True if anyone can reproduce it. Files drawn from an installation's secret exist only there. */
  repeatable: z.boolean(),
  /** Measurements of the run that the evaluator received. */
  runtime: strict({
    wallSeconds: z.number(),
    cpuSeconds: z.number(),
    peakMemoryMb: z.number().nullable(),
    outputBytes: z.number(),
    mutableBytes: z.number(),
    artefactBytes: z.number(),
    gpu: z.string().nullable(),
  }),
  artefacts: z.array(
    strict({
      path: z.string().refine((path) => pathProblem(path) === null, 'a path inside of artefacts/'),
      sha256: Hash,
      bytes: z.number(),
    }),
  ),
  /** Time of the certificate, in ISO 8601. */
  at: z.string(),
  versions: strict({ perpetua: z.string(), node: z.string() }),
});

export type Certificate = z.infer<typeof Certificate>;

/**
 * The public seed. It is derived from evaluator and artefacts, so that no maker of a certificate can choose it freely.
 * A maker can still try variants of an artefact until one scores well. Against this, `verify` has further seeds.
 */
export const publicSeedOf = ({ task, artefacts }: Pick<Certificate, 'task' | 'artefacts'>, sha256: HashOf): number => {
  const files = artefacts.map(({ path, sha256: hash }) => `${hash} ${path}`).sort();
  return first31(sha256(['certificate', task.evaluatorHash, ...files].join('\n')));
};

/** True if two values differ by at most 1e-9 of the larger one, as sums of the same numbers in another order do. */
export const sameValue = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
