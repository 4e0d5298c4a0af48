import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { setKnobs } from '../../domain/edit/set-knobs.ts';
import { loadTask } from '../../tasks/load.ts';
import type { Problem } from './problem.ts';

const FOLDER = 'tasks/template';
/** What a run without a score is worth. */
const FAILED = 1000;

const withoutImports = (source: string): string => source.replaceAll(/^import .*$/gm, '');
const programOf = (path: string): string => readFileSync(`${FOLDER}/${path}`, 'utf8');

/** The task that `perpetua init` writes: its own program and its own evaluator, run in this process. */
export async function fitProblem(): Promise<Problem> {
  const { task } = await loadTask(FOLDER);
  const source = programOf('workspace/fit.mjs');
  const points = withoutImports(programOf('workspace/data.mjs')).replace('export ', '');
  const score = compiled(withoutImports(programOf('evaluator/score.mjs')));
  return {
    ...{ name: 'template task, 5 knobs', file: 'fit.mjs', knobs: task.knobs },
    valueOf: (text, seed) => {
      const model = written(compiled(`${points}\n${withoutImports(text)}`), { PERPETUA_SEED: seed });
      const result = model === null ? null : written(score, {}, model);
      return result === null ? FAILED : (JSON.parse(result) as { error: number }).error;
    },
    textOf: (values) => {
      const files = { 'fit.mjs': source };
      const set = setKnobs(
        task.knobs.flatMap((knob, i) => (values[i] === undefined ? [] : [{ knob, value: values[i] }])),
        files,
      );
      if (!set.ok) return source;
      const applied = applyEdits(files, set.edits, ['fit.mjs']);
      if (!applied.ok) throw new Error(applied.reason);
      return applied.files['fit.mjs'] ?? source;
    },
  };
}

type Program = (...given: unknown[]) => void;
const GIVEN = ['process', 'console', 'readFileSync', 'writeFileSync', 'writeSync'];
const compiled = (source: string): Program => compileFunction(source, GIVEN) as Program;

/** What a program writes, whatever the file; null where it ends itself. */
function written(program: Program, env: Record<string, unknown>, read = ''): string | null {
  let text: string | null = null;
  const exit = (): never => {
    throw new Error('exit');
  };
  const write = (_to: unknown, content: string): void => void (text = content);
  try {
    program({ env, exit }, { log: () => undefined }, () => read, write, write);
    return text;
  } catch {
    return null;
  }
}
