import type { Knob } from '../knob/knob.ts';
import type { TaskInput } from '../task/task.ts';
import { EVALUATOR } from './evaluator-text.ts';

/** What a person said of a program, and what one run of it showed. */
export interface SourceProgram {
  name: string;
  run: string;
  metric: { name: string; direction: 'minimize' | 'maximize' };
  mutable: readonly string[];
  /** Seconds that a run is meant to take. */
  seconds: number;
  /** What the evaluator scores; null: the metric is read from what the run prints. */
  artefacts: readonly string[] | null;
  knobs: readonly Knob[];
}

/** The task of a program that was no task. */
export function buildTask({ name, run, metric, mutable, seconds, artefacts, knobs }: SourceProgram): TaskInput {
  return {
    name,
    description: `${metric.direction === 'minimize' ? 'Lower' : 'Raise'} ${metric.name} of: ${run}`,
    mutable: [...mutable],
    run: {
      command: run,
      budget: { seconds, kind: 'wall' },
      ...(artefacts === null ? {} : { artefacts: artefacts.map((path) => ({ path })) }),
    },
    metric: { ...metric, ...(artefacts === null ? { from: 'stdout' as const } : {}) },
    evaluator:
      artefacts === null ? { type: 'none' } : { type: 'artefact', command: `node ${EVALUATOR}`, timeoutSeconds: 600 },
    ...(knobs.length === 0 ? {} : { knobs: [...knobs] }),
  };
}

/** Words of a command that name files of the source. */
export const filesNamedIn = (command: string, paths: readonly string[]): string[] => {
  const words = new Set(command.split(/[\s;|&<>()"'=]+/).map((word) => word.replace(/^\.\//, '')));
  return paths.filter((path) => words.has(path));
};
