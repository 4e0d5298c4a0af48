import { createHash } from 'node:crypto';
import type { Certificate } from '../../domain/certificate/certificate.ts';
import { compareSeeds, furtherSeeds, type SeedComparison } from '../../domain/certificate/further-seeds.ts';
import { CliError } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { evaluateArtefacts, type ArtefactEvaluation } from './evaluate.ts';

/** Values of a certificate's artefacts under seeds that are derived from a root. */
export interface FurtherSeeds extends SeedComparison {
  /** The public seed, or a number of the verifier. */
  root: number;
  values: number[];
}

export interface SeedChoice {
  /** Number of further seeds. */
  count: number;
  /** Root of the seeds; undefined: the public seed. */
  root: number | undefined;
}

/**
 * Scores the artefacts under further seeds, one after another, and compares the values with the certificate's public
 * value. Prints each value, since an evaluation may take minutes. Returns null for a count of 0. Throws CliError if a
 * seed gives no score.
 */
export async function scoreFurtherSeeds(
  evaluation: ArtefactEvaluation,
  certificate: Certificate,
  { count, root = certificate.publicSeed, signal, io }: SeedChoice & { signal: AbortSignal; io: Io },
): Promise<FurtherSeeds | null> {
  const values: number[] = [];
  for (const seed of furtherSeeds(root, count, sha256)) {
    const value = await evaluateArtefacts(evaluation, seed, signal).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      throw new CliError(error.code, `With the further seed ${seed}: ${error.message}`, { cause: error });
    });
    values.push(value);
    printNote(io, `further seed ${values.length} of ${count}: ${value}`);
  }
  const comparison = compareSeeds(certificate.value.public, values, certificate.metric.direction);
  return comparison && { ...comparison, root, values };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
