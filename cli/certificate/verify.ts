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

/** What came of a second look at a certificate. */
export interface Verified {
  certificate: Certificate;
  /** Whether it is of the task's version that it is held to, and not of another one with the same evaluator. */
  sameTask: boolean;
  /** Of the evaluation that was made now; null where it was not worth making. */
  value: number | null;
  /** Everything that does not hold, in words; empty: it holds. */
  problems: string[];
}

/**
 * Holds a certificate's folder to a task's own evaluator: the same evaluator, the same artefacts, the same value. The measures of
 * the run that the evaluator is told, and whose run it was, are the certificate's word: only its maker's database has them.
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
  const found = await evaluateArtefacts(
    { home, task, evaluatorFiles, artefacts, runtime, path, secret: null },
    publicSeed,
    signal,
  );
  if (!sameValue(found, value.public))
    problems.push(`the value is another one: expected ${value.public}, came ${found}`);
  return { certificate, sameTask, value: found, problems };
}

async function readCertificate(folder: string): Promise<Certificate> {
  const path = join(folder, 'certificate.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw refused(`Expected a folder that best --certificate wrote; cannot read ${path}: ${error.message}`);
  });
  const value = parsed(text, path);
  const found = Certificate.safeParse(value);
  if (!found.success)
    throw refused(`Expected ${path} as best --certificate wrote it; ${describeIssue(found.error, value)}.`);
  return found.data;
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(`Expected JSON in ${path}: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
