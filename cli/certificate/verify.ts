import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ZodError } from 'zod';
import { Certificate, sameValue } from '../../domain/certificate/certificate.ts';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import { plural } from '../../domain/text/plural.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { evaluateArtefacts } from './evaluate.ts';
import { checkCertificate } from './check-certificate.ts';
import { buildProgramPath } from './build-program-path.ts';
import { scoreFurtherSeeds, type FurtherSeeds, type SeedChoice } from './score-further-seeds.ts';

/** Result of verifying a certificate. */
export interface Verified {
  certificate: Certificate;
  /** True if the certificate is of the loaded task version; false for another version with the same evaluator. */
  sameTask: boolean;
  /** Score of the evaluation made now; null if a problem was found before the evaluation. */
  value: number | null;
  /** Everything that does not hold, in words; empty if the certificate holds. */
  problems: string[];
  /** Values under further seeds; null if none was asked for, or if a problem was found before. */
  further: FurtherSeeds | null;
}

export interface VerifyOptions {
  io: Io;
  loaded: LoadedTask;
  home: string;
  signal: AbortSignal;
  seeds: SeedChoice;
}

/**
 * Verifies a certificate's folder against a task: same evaluator, same artefacts, same value.
 * The run's measures and its identity are claims of the certificate: only its maker's database can confirm them.
 */
export async function verifyCertificate(folder: string, options: VerifyOptions): Promise<Verified> {
  const { io, loaded, home, signal, seeds } = options;
  const certificate = await readCertificate(folder);
  const { publicSeed, runtime, value } = certificate;
  const sameTask = loaded.hash === certificate.task.hash;
  const { problems, artefacts } = await checkCertificate(certificate, folder, loaded);
  if (problems.length > 0) return { certificate, sameTask, value: null, problems, further: null };
  const { task, evaluatorFiles, environmentFiles = [] } = loaded;
  const path = await buildProgramPath(io, { task, environmentFiles, signal });
  const evaluation = { home, task, evaluatorFiles, artefacts, runtime, path, secret: null };
  const score = await evaluateArtefacts(evaluation, publicSeed, signal);
  if (!sameValue(score, value.public)) {
    problems.push(`the value differs: expected ${value.public}, got ${score}`);
    return { certificate, sameTask, value: score, problems, further: null };
  }
  const further = await scoreFurtherSeeds(evaluation, certificate, { ...seeds, signal, io });
  return { certificate, sameTask, value: score, problems, further };
}

/** The command that writes a certificate. */
const COMMAND = '`npx perpetua best ID --certificate --out DIR`';

async function readCertificate(folder: string): Promise<Certificate> {
  const path = join(folder, 'certificate.json');
  const text = await readFile(path, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    throw refused(`Expected a folder written by ${COMMAND}; ${await describeFolder(folder, error)}`);
  });
  const value = parseJson(text, path);
  const found = Certificate.safeParse(value);
  if (!found.success)
    throw refused(
      `${path} is no certificate (${describeProblems(found.error, value)}). Write it again with ${COMMAND}`,
    );
  return found.data;
}

/** Describes a folder whose certificate cannot be read. */
async function describeFolder(folder: string, { code, message }: NodeJS.ErrnoException): Promise<string> {
  const found = await stat(folder).catch(() => null);
  if (found?.isFile()) return `got a file; name its folder: ${dirname(folder)}`;
  if (code === 'ENOENT') return found ? `${folder} has no certificate.json` : `there is no folder ${folder}`;
  return `its certificate.json cannot be read (${message})`;
}

/** Describes what is wrong with the content; missing keys in one list. */
function describeProblems(error: ZodError, value: unknown): string {
  const missing = missingKeys(value);
  if (missing.length === 0) return describeIssue(error, value);
  return `${plural(missing.length, 'key')} ${missing.length === 1 ? 'is' : 'are'} missing: ${missing.join(', ')}`;
}

function missingKeys(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const keys = Object.keys(value);
  return Object.keys(Certificate.shape).filter((key) => !keys.includes(key));
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = message.includes('end of JSON') ? 'it ends too early' : message;
    const where = /position \d+/.exec(message)?.[0] ?? reason;
    throw refused(`${path} is no JSON (${where}). Was the copy cut? Copy it again, or write it with ${COMMAND}`);
  }
}
