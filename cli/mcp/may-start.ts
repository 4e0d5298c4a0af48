import { resolve } from 'node:path';
import type { Session } from './session.ts';

/** True if the server was started with one of these names of a task, or for any task. */
export function mayStart({ startable }: Pick<Session, 'startable'>, names: readonly string[]): boolean {
  if (startable === 'any') return true;
  return names.some((name) => startable.some((allowed) => isSame(allowed, name)));
}

/** True for the same name, or for the same folder. A name without a slash is no folder. */
const isSame = (allowed: string, name: string): boolean =>
  allowed === name || (allowed.includes('/') && name.includes('/') && resolve(allowed) === resolve(name));
