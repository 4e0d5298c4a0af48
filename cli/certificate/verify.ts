import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Certificate, sameValue } from '../../domain/certificate.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { evaluateArtefacts } from './evaluate.ts';
import { programsHere } from './programs.ts';

/** What came of a second look at a certificate. */
export interface Verified {
  certificate: Certificate;
  /** Of the evaluation that was made now; null where it was not worth making. */
  value: number | null;
  /** Everything that does not hold, in words; empty: it holds. */
  problems: string[];
}

/** Holds a certificate's folder to a task's own evaluator: the same evaluator, the same artefacts, the same value. */
export async function verifyCertificate(
  folder: string,
  { io, loaded, home, signal }: { io: Io; loaded: LoadedTask; home: string; signal: AbortSignal },
): Promise<Verified> {
  const certificate = await readCertificate(folder);
  const { task, metric, publicSeed, runtime, value } = certificate;
  const problems: string[] = [];
  if (loaded.evaluatorHash !== task.evaluatorHash)
    problems.push(`the evaluator is another one: expected ${task.evaluatorHash}, the task has ${loaded.evaluatorHash}`);
  const own = loaded.task.metric;
  if (own.name !== metric.name || own.direction !== metric.direction)
    problems.push(`the metric is another one: expected ${metric.name}, ${metric.direction}`);
  const artefacts: { path: string; content: Buffer }[] = [];
  for (const { path, sha256 } of certificate.artefacts) {
    const content = await readFile(join(folder, 'artefacts', path)).catch(() => null);
    if (content === null) problems.push(`artefacts/${path} cannot be read`);
    else if (createHash('sha256').update(content).digest('hex') !== sha256)
      problems.push(`artefacts/${path} is not the file that was scored`);
    else artefacts.push({ path, content });
  }
  if (problems.length > 0) return { certificate, value: null, problems };
  const { task: stated, evaluatorFiles, environmentFiles = [] } = loaded;
  const path = await programsHere(io, { task: stated, environmentFiles, signal });
  const found = await evaluateArtefacts(
    { home, task: stated, evaluatorFiles, artefacts, runtime, path, secret: null },
    publicSeed,
    signal,
  );
  if (!sameValue(found, value.public))
    problems.push(`the value is another one: expected ${value.public}, came ${found}`);
  return { certificate, value: found, problems };
}

async function readCertificate(folder: string): Promise<Certificate> {
  const path = join(folder, 'certificate.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw refused(`Expected a folder that best --certificate wrote; cannot read ${path}: ${error.message}`);
  });
  try {
    return Certificate.parse(JSON.parse(text));
  } catch (error) {
    throw refused(`Expected a certificate in ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
