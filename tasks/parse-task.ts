import { withForms } from '../domain/knob/knob-form.ts';
import { contradictions } from '../domain/task/contradictions.ts';
import { Task } from '../domain/task/task.ts';
import { taskJsonSchema } from '../domain/task/explain/json-schema.ts';
import { explain, inOrder, toIssue, type YamlSource } from './yaml/explain.ts';
import { parseYaml } from './yaml/parse-yaml.ts';
import { TaskError } from './task-error.ts';

/** Description of a task.yaml, for messages. */
const TASK = {
  what: 'a task',
  begin: 'begin with name, description, mutable, run, metric, evaluator; `npx perpetua init DIR` writes an example',
};

/**
 * Parses the task in a YAML text, and returns it with its source for later messages, in which the file is called
 * `file`. Throws a TaskError with all problems that show without reading another file. Only for text from a person: a
 * stored task was accepted before, and `storedTask` in db/ reads it without refusing it.
 */
export function parseTask(yaml: string, file = 'task.yaml'): { task: Task; source: YamlSource } {
  const parsed = parseYaml(yaml, file, TASK);
  if (!parsed.ok) throw new TaskError(parsed.issues, { moreChecks: true });
  const source = { file, schema: taskJsonSchema(), value: parsed.value, locate: parsed.locate };
  const checked = Task.safeParse(parsed.value);
  if (!checked.success) throw new TaskError(explain(checked.error, source), { moreChecks: true });
  const { scalarAt } = parsed;
  const knobs = withForms(checked.data.knobs, (knob, value) => scalarAt(['knobs', knob, 'values', value]));
  const task = { ...checked.data, knobs };
  const problems = contradictions(task);
  if (problems.length > 0)
    throw new TaskError(inOrder(problems.map((problem) => toIssue(problem, source))), { moreChecks: true });
  return { task, source };
}
