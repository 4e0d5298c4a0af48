import { createEvaluatorSandbox } from '../../infra/compute/local.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';

/** Warns if this machine gives the task's evaluator no sandbox. Judges by this shell's user, not by the worker's. */
export async function warnOfEvaluator(io: Io, { task: { evaluator }, positionOf }: LoadedTask): Promise<string[]> {
  if (evaluator.type === 'none' || (await createEvaluatorSandbox(configOf(io)).isAvailable())) return [];
  const position = positionOf(['evaluator']);
  return [
    `${position === null ? '' : `${position} `}the evaluator runs as the worker's user, ` +
      'since this machine gives it no sandbox. To see why: npx perpetua doctor',
  ];
}
