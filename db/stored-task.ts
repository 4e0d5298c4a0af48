import { parse } from 'yaml';
import { Task } from '../domain/task/task.ts';

/**
 * A stored task as it is read today; an older version may have stored it. In what that one made of the text nobody can
 * tell what a person wrote from what was a default then, so the text itself is read again. Where it is no task any more,
 * what was stored counts, with today's defaults for keys that it lacks.
 */
export function storedTask({ yaml, task }: { yaml: string; task: Task }): Task {
  const written = Task.safeParse(valueOf(yaml));
  if (written.success) return written.data;
  const filled = Task.safeParse(task);
  return filled.success ? filled.data : task;
}

function valueOf(yaml: string): unknown {
  try {
    return parse(yaml.replace(/^\ufeff/, ''), { logLevel: 'error' });
  } catch {
    return null;
  }
}
