import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { packageRoot } from '../../../config/paths.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { toolEnvironment } from '../../../infra/trainer/tool-environment.ts';

export type Sampler = 'tpe' | 'cma-es';

interface Answer {
  /** Values of the knobs; a choice as its index. */
  values: number[];
  cpuMs: number;
}

/** A process with Optuna's samplers. */
export interface Studies {
  begin(study: { sampler: Sampler; seed: number; knobs: readonly Knob[] }): Promise<Answer>;
  /** Reports the value of the last answer; returns the next one. */
  report(value: number): Promise<Answer>;
  close(): void;
}

/** Starts the process. A request fails if the process has ended. */
export function startStudies(python: string): Studies {
  // One thread: CPU seconds are compared.
  const threads = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const child = spawn(python, [join(packageRoot(), 'bench/search/optuna/studies.py')], {
    env: { ...toolEnvironment(process.env), ...threads },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const request = async (message: unknown): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('expected an answer of Optuna, its process ended; its error is printed above');
    return JSON.parse(value) as Answer;
  };
  return {
    begin: ({ sampler, seed, knobs }) => request({ sampler, seed, knobs: knobs.map(dimensionOf) }),
    report: (value) => request(value),
    close: () => void child.stdin.end(),
  };
}

const dimensionOf = (knob: Knob): unknown[] =>
  knob.type === 'choice' ? [knob.type, knob.values.length] : [knob.type, ...knob.range, knob.scale];
