import { parse } from 'yaml';
import type { z } from 'zod';
import { DamagedRowError } from './damaged.ts';
import { Task } from '../domain/task/task.ts';

/**
 * A stored task as it is read today; an older version may have stored it. In what that one made of the text nobody can
 * tell what a person wrote from what was a default then, so the text itself is read again. Only the parts that hashes
 * cover stay as they were stored: what ran or scored otherwise would go by the same hash. Where the text is no task any
 * more, all of it stays. What was stored lacks the keys that are newer: they have today's defaults. A number above a limit that
 * is newer is that limit. Throws where what is stored was never a task.
 */
export function storedTask({ hash, yaml, task }: { hash: string; yaml: string; task: Task }): Task {
  if (!isTask(task))
    throw new DamagedRowError(`task_versions ${hash}`, { column: 'task', expected: 'a task', came: task });
  const { run, setup, metric, evaluator } = task;
  return readTask({ ...valueOf(yaml), run, setup, metric, evaluator }) ?? readTask(task) ?? task;
}

/** Undefined where it is no task. */
function readTask(stored: object): Task | undefined {
  const first = Task.safeParse(stored);
  if (first.success) return first.data;
  return Task.safeParse(withinLimits(structuredClone(stored), first.error.issues)).data;
}

function withinLimits(stored: object, issues: readonly z.core.$ZodIssue[]): object {
  for (const issue of issues) {
    if (issue.code !== 'too_big' || issue.origin !== 'number') continue;
    const key = issue.path.at(-1) ?? '';
    const parent = issue.path.slice(0, -1).reduce<unknown>((at, part) => Reflect.get(at as object, part), stored);
    Reflect.set(parent as object, key, issue.maximum);
  }
  return stored;
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
