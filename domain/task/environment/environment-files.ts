import type { Environment } from '../schema/environment.ts';

/** A lock of uv's says nothing without the project file that it locks. */
export const isUvLock = ({ lock }: Environment): boolean => /(^|\/)uv\.lock$/.test(lock);

/** The files of a task's folder that its environment is built from, the lock first. */
export const environmentFiles = (environment: Environment): string[] =>
  isUvLock(environment)
    ? [environment.lock, environment.lock.replace(/uv\.lock$/, 'pyproject.toml')]
    : [environment.lock];
