import { createHmac } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { refuseCode } from '../../domain/artefact/find-code.ts';
import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import { checkBounds } from '../../domain/metric/read-metric.ts';
import type { Runtime } from '../../domain/metric/runtime.ts';
import type { Task } from '../../domain/task/task.ts';
import { secretText } from '../../domain/task/secret-text.ts';
import type { FileContent } from '../../infra/compute.ts';
import { createEvaluator } from '../../infra/evaluate/create-evaluator.ts';
import { CliError, refused } from '../errors.ts';

/** Inputs of an evaluation that do not depend on its seed. */
export interface ArtefactEvaluation {
  home: string;
  task: Task;
  evaluatorFiles: FileContent[];
  artefacts: FileContent[];
  runtime: Runtime;
  /** Folders that come first on the evaluator's PATH. */
  path: readonly string[];
  /** Secret of the installation; null: not available. */
  secret: string | null;
  /** Command in place of the evaluator's own. */
  command?: string;
}

/** Scores stored artefacts with the task's evaluator. Throws CliError if no score within the metric's bounds comes. */
export async function evaluateArtefacts(
  evaluation: ArtefactEvaluation,
  seed: number,
  signal: AbortSignal,
): Promise<number> {
  const { home, task, evaluatorFiles: files, artefacts, runtime, path, secret } = evaluation;
  const { timeoutSeconds, ...ofTask } = requireArtefactEvaluator(task);
  const command = evaluation.command ?? ofTask.command;
  const drawnBy = secretText(task);
  if (drawnBy !== null && secret === null)
    throw refused(
      `Expected a task whose evaluator anyone can run. The evaluator of ${task.name} draws its questions from ` +
        'the secret of an installation, so only that installation can score its artefacts again.',
    );
  await mkdir(home, { recursive: true });
  const evaluator = createEvaluator({ home });
  const { safeLoad, readable, network = false, gpu } = requireArtefactEvaluator(task);
  const code = safeLoad ? null : await evaluator.findCode(artefacts);
  if (code !== null && !(await evaluator.hasSandbox())) throw refused(`run.artefacts: ${refuseCode(code)}`);
  const result = await evaluator.evaluate(
    {
      readable,
      network: network && code === null,
      gpu,
      sandbox: code === null ? undefined : 'required',
      files,
      command,
      timeoutSeconds,
      seed,
      artefacts,
      runtime,
      path,
      conversation: null,
      secret:
        drawnBy === null || secret === null ? undefined : createHmac('sha256', secret).update(drawnBy).digest('hex'),
      limits: { roundSeconds: timeoutSeconds, lineBytes: 0, totalBytes: 0 },
    },
    signal,
  );
  if (!result.ok) {
    const { label, message, logTail } = result.failure;
    // The message of an evaluator that blames the candidate is the end of its log.
    const text = logTail.trim().endsWith(message) ? logTail : `${label}: ${message}\n${logTail}`;
    throw new CliError('failed', `The evaluator of ${task.name} gave no score: ${text}`.trim());
  }
  const value = result.evaluation.metrics[task.metric.name];
  if (value === undefined)
    throw new CliError('failed', `Expected the evaluator to report ${task.metric.name}, it did not.`);
  const checked = checkBounds(value, task.metric);
  if (!checked.ok) throw new CliError('failed', `The score does not count: ${checked.message}`);
  return value;
}

/** Returns the evaluator of a task. Refuses a task whose score does not depend on artefacts alone. */
export function requireArtefactEvaluator({ name, evaluator }: Task): Extract<Task['evaluator'], { type: 'artefact' }> {
  const asksModel = evaluatorLlmOf(evaluator) !== null;
  if (evaluator.type === 'artefact' && !asksModel) return evaluator;
  const reason =
    evaluator.type === 'none' ? "takes its metric from the run's own output" : "scores the candidate's running program";
  if (asksModel)
    throw refused(
      `Expected a task whose evaluator anyone can run. The evaluator of ${name} asks a model (evaluator.llm), ` +
        'so its score cannot be repeated. To get the confirmed best: npx perpetua best --out DIR',
    );
  throw refused(
    `Expected a task whose evaluator scores artefacts alone (evaluator.type: artefact). ${name} ${reason}, ` +
      'so its stored artefacts cannot be scored again. To get the confirmed best: npx perpetua best --out DIR',
  );
}
