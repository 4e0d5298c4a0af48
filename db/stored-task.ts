import { parse } from 'yaml';
import { DamagedRowError } from './damaged.ts';
import { Task } from '../domain/task/task.ts';

/**
 * A stored task as it is read today; an older version may have stored it. In what that one made of the text nobody can
 * tell what a person wrote from what was a default then, so the text itself is read again. Only the parts that hashes
 * cover stay as they were stored: what ran or scored otherwise would go by the same hash. Where the text is no task any
 * more, all of it stays. What was stored lacks the keys that are newer: they have today's defaults. Throws where what is
 * stored was never a task.
 */
export function storedTask({ hash, yaml, task }: { hash: string; yaml: string; task: Task }): Task {
  if (!isTask(task))
    throw new DamagedRowError(`task_versions ${hash}`, { column: 'task', expected: 'a task', came: task });
  const { run, setup, metric, evaluator } = task;
  const written = Task.safeParse({ ...valueOf(yaml), run, setup, metric, evaluator });
  if (written.success) return written.data;
  const filled = Task.safeParse(task);
  return filled.success ? filled.data : task;
}

/** Has at least what no version ever did without; more is not asked of an old one. */
const isTask = (task: Partial<Task> | null): boolean =>
  typeof task?.metric?.name === 'string' && typeof task.run?.command === 'string';

function valueOf(yaml: string): object {
  try {
    const value: unknown = parse(yaml.replace(/^\ufeff/, ''), { logLevel: 'error', uniqueKeys: false }); // they were told apart before
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
