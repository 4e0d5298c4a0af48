import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicSeedOf, type Certificate } from '../../domain/trial/certificate.ts';
import type { FileContent } from '../../infra/compute.ts';
import type { LoadedTask } from '../../tasks/load.ts';

/** A certificate held to its folder and to a task, without the evaluator. */
export interface CertificateCheck {
  problems: string[];
  /** Those of its artefacts that are what it says. */
  artefacts: FileContent[];
}

/** Holds a certificate to its own folder and to a task. */
export async function checkCertificate(
  certificate: Certificate,
  folder: string,
  loaded: LoadedTask,
): Promise<CertificateCheck> {
  const read = await Promise.all(certificate.artefacts.map((one) => readArtefact(folder, one)));
  const artefacts = read.flatMap(({ file }) => file ?? []);
  const problems = [
    ...taskProblems(certificate, loaded),
    ...read.flatMap(({ problem }) => problem ?? []),
    ...numberProblems(certificate),
  ];
  return { problems, artefacts };
}

function taskProblems({ task, metric, artefacts }: Certificate, { task: own, evaluatorHash }: LoadedTask): string[] {
  const problems: string[] = [];
  if (evaluatorHash !== task.evaluatorHash)
    problems.push(
      `the evaluator, or the lock of its Python, is another one: expected ${task.evaluatorHash}, the task has ${evaluatorHash}`,
    );
  const { name, direction, unit = null } = own.metric;
  if (name !== metric.name || direction !== metric.direction || unit !== metric.unit)
    problems.push(`the metric is another one: expected ${worded(metric)}, the task has ${worded(own.metric)}`);
  // The evaluator sees no file that a run could not have left.
  const [has, needs] = [artefacts.map(({ path }) => path), own.run.artefacts.map(({ path }) => path)];
  const [more, less] = [has.filter((path) => !needs.includes(path)), needs.filter((path) => !has.includes(path))];
  if (more.length > 0) problems.push(`the task has no artefact ${more.join(', ')}`);
  if (less.length > 0) problems.push(`the task's artefact ${less.join(', ')} is not in it`);
  return problems;
}

const worded = ({ name, direction, unit }: { name: string; direction: string; unit?: string | null | undefined }) =>
  `${name}${unit ? ` in ${unit}` : ''}, ${direction}`;

/** Numbers of it that follow from its others. */
function numberProblems(certificate: Certificate): string[] {
  const { artefacts, runtime, publicSeed } = certificate;
  const problems: string[] = [];
  const seed = publicSeedOf(certificate, sha256);
  if (publicSeed !== seed)
    problems.push(`the public seed is another one: expected ${seed}, which its artefacts give, came ${publicSeed}`);
  const bytes = artefacts.reduce((sum, one) => sum + one.bytes, 0);
  if (runtime.artefactBytes !== bytes)
    problems.push(`runtime.artefactBytes: expected ${bytes}, came ${runtime.artefactBytes}`);
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
