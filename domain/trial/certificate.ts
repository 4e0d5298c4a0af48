import { z } from 'zod';
import { strict } from '../issue/describe-issue.ts';
import { pathProblem } from '../text/path-problem.ts';
import { first31, type Hash as HashOf } from './trial-seeds.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/**
 * One scored run of a research, whose artefacts the trusted evaluator was asked about once more. Hashes are SHA-256 in hex,
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
    /** As it was scored when the run ended. */
    stored: z.number(),
    /** Of the same artefacts now, asked as then: under the evaluator's own seed, which stays hidden. */
    again: z.number(),
    /** Of the same artefacts now, under the public seed: whoever repeats it gets this one. */
    public: z.number(),
  }),
  /** PERPETUA_SEED of the evaluation that can be repeated, {@link publicSeedOf} it. */
  publicSeed: z.number().int(),
  /** Whether anybody can repeat it; what is drawn by an installation's secret only that one can. */
  repeatable: z.boolean(),
  /** Measures of the run that the evaluator was told. */
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
  /** When it was made, ISO. */
  at: z.string(),
  versions: strict({ perpetua: z.string(), node: z.string() }),
});

export type Certificate = z.infer<typeof Certificate>;

/** The public seed: it follows from the evaluator and the artefacts, so that nobody chooses one that scores well. */
export const publicSeedOf = ({ task, artefacts }: Pick<Certificate, 'task' | 'artefacts'>, sha256: HashOf): number => {
  const files = artefacts.map(({ path, sha256: hash }) => `${hash} ${path}`).sort();
  return first31(sha256(['certificate', task.evaluatorHash, ...files].join('\n')));
};

/** Values as equal as two sums of the same numbers in another order. */
export const sameValue = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
