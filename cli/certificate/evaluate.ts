import { createHmac } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { checkBounds } from '../../domain/metric/read-metric.ts';
import type { Runtime } from '../../domain/metric/runtime.ts';
import type { Task } from '../../domain/task/task.ts';
import { secretText } from '../../domain/task/secret-text.ts';
import type { FileContent } from '../../infra/compute.ts';
import { createEvaluator } from '../../infra/evaluate/create-evaluator.ts';
import { CliError, refused } from '../errors.ts';

/** What stays the same when the same artefacts are scored under several seeds. */
export interface ArtefactEvaluation {
  home: string;
  task: Task;
  evaluatorFiles: FileContent[];
  artefacts: FileContent[];
  runtime: Runtime;
  /** Folders that come first on the evaluator's PATH. */
  path: readonly string[];
  /** Of the installation; null where none is at hand. */
  secret: string | null;
}

/** Asks a task's evaluator about stored artefacts. Throws CliError where they get no value that counts. */
export async function evaluateArtefacts(asked: ArtefactEvaluation, seed: number, signal: AbortSignal): Promise<number> {
  const { home, task, evaluatorFiles: files, artefacts, runtime, path, secret } = asked;
  const { command, timeoutSeconds } = requireArtefactEvaluator(task);
  const drawnBy = secretText(task);
  if (drawnBy !== null && secret === null)
    throw refused(
      `Expected a task whose evaluator anybody can run; ${task.name} draws its questions by the secret of an installation, and only that one can repeat them.`,
    );
  await mkdir(home, { recursive: true });
  const result = await createEvaluator({ home }).evaluate(
    {
      ...{ files, command, timeoutSeconds, seed, artefacts, runtime, path, conversation: null },
      secret:
        drawnBy === null || secret === null ? undefined : createHmac('sha256', secret).update(drawnBy).digest('hex'),
      limits: { roundSeconds: timeoutSeconds, lineBytes: 0, totalBytes: 0 },
    },
    signal,
  );
  if (!result.ok) {
    const { label, message, logTail } = result.failure;
    throw new CliError(
      'failed',
      `The evaluator of ${task.name} gave no score: ${label}: ${message}\n${logTail}`.trim(),
    );
  }
  const value = result.evaluation.metrics[task.metric.name];
  if (value === undefined)
    throw new CliError('failed', `Expected the evaluator to report ${task.metric.name}, it did not.`);
  const checked = checkBounds(value, task.metric);
  if (!checked.ok) throw new CliError('failed', `The score does not count: ${checked.message}`);
  return value;
}

/** Refuses a task whose scores do not rest on artefacts alone. */
export function requireArtefactEvaluator({ name, evaluator }: Task): { command: string; timeoutSeconds: number } {
  if (evaluator.type === 'artefact') return evaluator;
  const what =
    evaluator.type === 'none'
      ? 'reads its metric from what the run itself prints'
      : "asks the candidate's running program";
  throw refused(
    `Expected a task whose evaluator scores artefacts alone (evaluator.type: artefact); ${name} ${what}, so nothing that is stored can be scored again. Take the confirmed best: npx perpetua best --out DIR`,
  );
}
