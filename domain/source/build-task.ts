import type { Environment } from '../schema/environment.ts';
import type { Knob } from '../knob/knob.ts';
import { linesOf } from '../metric/lines.ts';
import { readPrinted, type PrintedForm } from '../metric/printed-number.ts';
import type { TaskInput } from '../task/task.ts';
import { EVALUATOR } from './evaluator-text.ts';

/** A program as a person described it, with facts from one run. */
export interface SourceProgram {
  name: string;
  run: string;
  metric: { name: string; direction: 'minimize' | 'maximize' };
  mutable: readonly string[];
  /** Intended seconds of a run. */
  seconds: number;
  /** Form in which the run prints the metric, if it is read from stdout. */
  format: 'regex' | 'json';
  /** Paths of the files that the evaluator scores; null: the metric is read from stdout. */
  artefacts: readonly string[] | null;
  knobs: readonly Knob[];
  programs: RunPrograms;
}

/** Keys of a task by which its runs find their programs. */
export interface RunPrograms {
  /** Value of `run.path`. */
  path: string[];
  /** Value of `run.readable`. */
  readable: string[];
  /** Variables of the run. */
  env: Record<string, string>;
  /** Python that Perpetua installs from the program's lock; null: none. */
  environment: Environment | null;
}

/** Builds a task for a program that has no task.yaml. */
export function buildTask(program: SourceProgram): TaskInput {
  const { name, run, metric, mutable, seconds, format, artefacts, knobs } = program;
  const { path, readable, env, environment } = program.programs;
  const printed = { from: 'stdout' as const, ...(format === 'json' ? { format } : {}) };
  return {
    name,
    description: `${metric.direction === 'minimize' ? 'Lower' : 'Raise'} ${metric.name} of: ${run}`,
    mutable: [...mutable],
    ...(environment === null ? {} : { environment }),
    run: {
      command: run,
      budget: { seconds, kind: 'wall' },
      ...(path.length === 0 ? {} : { path }),
      ...(readable.length === 0 ? {} : { readable }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(artefacts === null ? {} : { artefacts: artefacts.map((path) => ({ path })) }),
    },
    metric: { ...metric, ...(artefacts === null ? printed : {}) },
    evaluator:
      artefacts === null
        ? { type: 'none' }
        : {
            type: 'artefact',
            command: `node ${EVALUATOR}`,
            timeoutSeconds: 600,
            ...(readable.length === 0 ? {} : { readable }),
          },
    ...(knobs.length === 0 ? {} : { knobs: [...knobs] }),
  };
}

/** Paths of the source that a command names. */
export const filesNamedIn = (command: string, paths: readonly string[]): string[] => {
  const words = new Set(command.split(/[\s;|&<>()"'=]+/).map((word) => word.replace(/^\.\//, '')));
  return paths.filter((path) => words.has(path));
};

/** Form in which the last line of an output that names the metric has it. */
export function formatOfMetric(output: string, metric: string): 'regex' | 'json' {
  const lines = linesOf(output);
  const read = (...forms: PrintedForm[]): string => JSON.stringify(readPrinted(lines, { name: metric, forms }));
  // The same in both forms: the text is as good.
  return read('text', 'json') === read('text') ? 'regex' : 'json';
}
