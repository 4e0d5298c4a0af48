import type { Environment } from '../../schema/environment.ts';

/** Largest number of lines that are reported. */
const MOST_LINES = 5;
const PACKAGE = /^[A-Za-z0-9][A-Za-z0-9._-]*(\[[^\]]*\])?\s*(===?\s*[^*\s;,]+\s*|@\s*https?:\/\/\S+\s*)(;.*)?$/;

/**
 * Lines of a list of packages that do not lock a package. Without a fixed version, a line means another package
 * tomorrow; and other files that a line names are not stored with the task.
 */
export function lockProblems(text: string): string[] {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const kept = lines.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
  return kept.filter((line) => !isLocked(line)).slice(0, MOST_LINES);
}

function isLocked(line: string): boolean {
  // The machine configures the package index, but a lock may repeat it.
  if (/^(--index-url|--extra-index-url|-i|--only-binary|--no-binary|--prefer-binary)\b/.test(line)) return true;
  return PACKAGE.test(line.replace(/\s--hash[= ]\S+/g, '').trim());
}

/** True for a lock of uv, which is incomplete without the project file beside it. */
export const isUvLock = ({ lock }: Environment): boolean => /(^|\/)uv\.lock$/.test(lock);

/** Files of a task's folder from which its environment is built, the lock first. */
export const environmentFiles = (environment: Environment): string[] =>
  isUvLock(environment)
    ? [environment.lock, environment.lock.replace(/uv\.lock$/, 'pyproject.toml')]
    : [environment.lock];
