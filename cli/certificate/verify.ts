import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Certificate, sameValue } from '../../domain/trial/certificate.ts';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { evaluateArtefacts } from './evaluate.ts';
import { checkCertificate } from './check-certificate.ts';
import { buildProgramPath } from './build-program-path.ts';

/** Result of verifying a certificate. */
export interface Verified {
  certificate: Certificate;
  /** True if the certificate is of the loaded task version; false for another version with the same evaluator. */
  sameTask: boolean;
  /** Score of the evaluation made now; null if a problem was found before the evaluation. */
  value: number | null;
  /** Everything that does not hold, in words; empty if the certificate holds. */
  problems: string[];
}

/**
 * Verifies a certificate's folder against a task: same evaluator, same artefacts, same value.
 * The run's measures and its identity are claims of the certificate: only its maker's database can confirm them.
 */
export async function verifyCertificate(
  folder: string,
  { io, loaded, home, signal }: { io: Io; loaded: LoadedTask; home: string; signal: AbortSignal },
): Promise<Verified> {
  const certificate = await readCertificate(folder);
  const { publicSeed, runtime, value } = certificate;
  const sameTask = loaded.hash === certificate.task.hash;
  const { problems, artefacts } = await checkCertificate(certificate, folder, loaded);
  if (problems.length > 0) return { certificate, sameTask, value: null, problems };
  const { task, evaluatorFiles, environmentFiles = [] } = loaded;
  const path = await buildProgramPath(io, { task, environmentFiles, signal });
  const score = await evaluateArtefacts(
    { home, task, evaluatorFiles, artefacts, runtime, path, secret: null },
    publicSeed,
    signal,
  );
  if (!sameValue(score, value.public)) problems.push(`the value differs: expected ${value.public}, got ${score}`);
  return { certificate, sameTask, value: score, problems };
}

async function readCertificate(folder: string): Promise<Certificate> {
  const path = join(folder, 'certificate.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw refused(`Expected a folder that best --certificate wrote; cannot read ${path}: ${error.message}`);
  });
  const value = parseJson(text, path);
  const found = Certificate.safeParse(value);
  if (!found.success)
    throw refused(`Expected ${path} as best --certificate wrote it; ${describeIssue(found.error, value)}.`);
  return found.data;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(`Expected JSON in ${path}: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
