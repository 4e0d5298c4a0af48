import type { Environment } from '../../schema/environment.ts';

/** At most so many lines are told. */
const MOST = 5;
const PACKAGE = /^[A-Za-z0-9][A-Za-z0-9._-]*(\[[^\]]*\])?\s*(===?\s*[^*\s;,]+\s*|@\s*https?:\/\/\S+\s*)(;.*)?$/;

/**
 * Lines of a list of packages that are no lock: without one version they would mean something else tomorrow, and what they
 * name besides lies in no stored task.
 */
export function lockProblems(text: string): string[] {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const kept = lines.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
  return kept.filter((line) => !isLocked(line)).slice(0, MOST);
}

function isLocked(line: string): boolean {
  // Where packages come from is the machine's to say, but a lock may repeat it.
  if (/^(--index-url|--extra-index-url|-i|--only-binary|--no-binary|--prefer-binary)\b/.test(line)) return true;
  return PACKAGE.test(line.replace(/\s--hash[= ]\S+/g, '').trim());
}

/** A lock of uv's says nothing without the project file that it locks. */
export const isUvLock = ({ lock }: Environment): boolean => /(^|\/)uv\.lock$/.test(lock);

/** The files of a task's folder that its environment is built from, the lock first. */
export const environmentFiles = (environment: Environment): string[] =>
  isUvLock(environment)
    ? [environment.lock, environment.lock.replace(/uv\.lock$/, 'pyproject.toml')]
    : [environment.lock];
