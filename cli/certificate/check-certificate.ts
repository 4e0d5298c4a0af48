import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicSeedOf, type Certificate } from '../../domain/certificate/certificate.ts';
import type { FileContent } from '../../infra/compute.ts';
import type { LoadedTask } from '../../tasks/load.ts';

/** Result of comparing a certificate with its folder and a task, without running the evaluator. */
export interface CertificateCheck {
  problems: string[];
  /** Artefacts whose contents have the certificate's hash and size. */
  artefacts: FileContent[];
}

/** Compares a certificate with its own folder and with a task. */
export async function checkCertificate(
  certificate: Certificate,
  folder: string,
  loaded: LoadedTask,
): Promise<CertificateCheck> {
  const read = await Promise.all(certificate.artefacts.map((artefact) => readArtefact(folder, artefact)));
  const artefacts = read.flatMap(({ file }) => file ?? []);
  const problems = [
    ...taskProblems(certificate, loaded),
    ...read.flatMap(({ problem }) => problem ?? []),
    ...numberProblems(certificate),
  ];
  return { problems, artefacts };
}

function taskProblems({ task, metric, artefacts }: Certificate, loaded: LoadedTask): string[] {
  const { task: loadedTask, evaluatorHash } = loaded;
  const problems: string[] = [];
  if (evaluatorHash !== task.evaluatorHash)
    problems.push(
      `the evaluator or its Python lock file differs: expected ${task.evaluatorHash}, ` +
        `the task has ${evaluatorHash}`,
    );
  const { name, direction, unit = null } = loadedTask.metric;
  if (name !== metric.name || direction !== metric.direction || unit !== metric.unit)
    problems.push(`the metric differs: expected ${metricText(metric)}, the task has ${metricText(loadedTask.metric)}`);
  // The paths must match exactly: the evaluator must not see a file that a run could not have left.
  const certified = artefacts.map(({ path }) => path);
  const declared = loadedTask.run.artefacts.map(({ path }) => path);
  const undeclared = certified.filter((path) => !declared.includes(path));
  const absent = declared.filter((path) => !certified.includes(path));
  // A path that comes twice changes the public seed, but no byte of an artefact.
  const repeated = certified.filter((path, i) => certified.indexOf(path) !== i);
  if (repeated.length > 0) problems.push(`the certificate names an artefact more than once: ${repeated.join(', ')}`);
  if (undeclared.length > 0) problems.push(`the task has no artefact ${undeclared.join(', ')}`);
  if (absent.length > 0) problems.push(`the certificate lacks the task's artefact ${absent.join(', ')}`);
  return problems;
}

const metricText = ({ name, direction, unit }: { name: string; direction: string; unit?: string | null | undefined }) =>
  `${name}${unit ? ` in ${unit}` : ''}, ${direction}`;

/** Checks the numbers that follow from other fields of the certificate: the public seed and runtime.artefactBytes. */
function numberProblems(certificate: Certificate): string[] {
  const { artefacts, runtime, publicSeed } = certificate;
  const problems: string[] = [];
  const seed = publicSeedOf(certificate, sha256);
  if (publicSeed !== seed)
    problems.push(`the public seed differs: the artefacts give ${seed}, the certificate has ${publicSeed}`);
  const bytes = artefacts.reduce((sum, artefact) => sum + artefact.bytes, 0);
  if (runtime.artefactBytes !== bytes)
    problems.push(`runtime.artefactBytes: expected ${bytes}, got ${runtime.artefactBytes}`);
  return problems;
}

async function readArtefact(
  folder: string,
  { path, sha256: hash, bytes }: Certificate['artefacts'][number],
): Promise<{ problem?: string; file?: FileContent }> {
  const content = await readFile(join(folder, 'artefacts', path)).catch(() => null);
  if (content === null) return { problem: `artefacts/${path} cannot be read` };
  if (sha256(content) !== hash || content.length !== bytes)
    return { problem: `artefacts/${path} is not the file that was scored` };
  return { file: { path, content } };
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
