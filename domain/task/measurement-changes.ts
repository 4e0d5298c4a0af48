import { listNames } from '../text/list-names.ts';
import type { Task } from './task.ts';

/** Keys of `run` that may change the measured value. Its limits and artefacts do not. */
const KEYS = ['command', 'budget', 'env', 'passEnv', 'path', 'readable', 'resources'] as const;

/**
 * Changed keys and immutable files of a new task version that make earlier measurements less comparable. `immutable`
 * has the paths of the changed immutable files. The environment is not included: a new environment makes the gate start
 * over.
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
