import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import { noEndpointAtAll, readEndpoints } from '../../infra/gateway/endpoints.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';

/** Warns of an evaluator that asks models if this shell names no endpoint: `start` would refuse the task. */
export function warnOfEvaluatorModel(io: Io, { task }: Pick<LoadedTask, 'task'>): string | null {
  if (evaluatorLlmOf(task.evaluator) === null) return null;
  const endpoints = Object.values(readEndpoints(configOf(io)));
  if (endpoints.some((endpoint) => endpoint !== null)) return null;
  return `\`start\` would refuse the task if the worker has this shell's environment: evaluator.llm: ${noEndpointAtAll()}`;
}
