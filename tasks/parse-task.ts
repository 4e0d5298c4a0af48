import { contradictions } from '../domain/task/contradictions.ts';
import { Task } from '../domain/task/task.ts';
import { taskJsonSchema } from '../domain/task/explain/json-schema.ts';
import { explain, inOrder, toIssue, type YamlSource } from './yaml/explain.ts';
import { parseYaml } from './yaml/parse-yaml.ts';
import { TaskError } from './task-error.ts';

/** What a task.yaml is, for messages. */
const TASK = {
  what: 'a task',
  begin: 'begin with name, description, mutable, run, metric, evaluator; `npx perpetua init DIR` writes an example',
};

/**
 * The task in a YAML text, with its source for later messages; `file` is what messages call it. Throws TaskError with
 * all that is wrong without looking at any other file. It is for what a person hands in: what is stored was accepted once,
 * and `storedTask` in db/ reads it without refusing it.
 */
export function parseTask(yaml: string, file = 'task.yaml'): { task: Task; source: YamlSource } {
  const parsed = parseYaml(yaml, file, TASK);
  if (!parsed.ok) throw new TaskError(parsed.issues);
  const source = { file, schema: taskJsonSchema(), value: parsed.value, locate: parsed.locate };
  const checked = Task.safeParse(parsed.value);
  if (!checked.success) throw new TaskError(explain(checked.error, source));
  const problems = contradictions(checked.data);
  if (problems.length > 0) throw new TaskError(inOrder(problems.map((problem) => toIssue(problem, source))));
  return { task: checked.data, source };
}
