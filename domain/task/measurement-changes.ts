import { listNames } from '../text/list-names.ts';
import type { Task } from './task.ts';

/** Keys of `run` by which a run measures something else; its limits and what is kept of it say nothing of its value. */
const KEYS = ['command', 'budget', 'env', 'passEnv', 'path', 'readable', 'resources'] as const;

/**
 * What another version runs otherwise, by its keys and its immutable files that changed: what was measured under the one says
 * less of the other. Its environment is no part of it, since another one has the gate start over.
 */
export function measurementChanges(
  before: Pick<Task, 'run' | 'setup'>,
  after: Pick<Task, 'run' | 'setup'>,
  immutable: readonly string[],
): string[] {
  const keys = KEYS.filter((key) => differ(before.run[key], after.run[key])).map((key) => `run.${key}`);
  const setup = differ(before.setup?.commands, after.setup?.commands) ? ['setup.commands'] : [];
  const files = immutable.length === 0 ? [] : [`${listNames(immutable)} (immutable)`];
  return [...keys, ...setup, ...files];
}

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
