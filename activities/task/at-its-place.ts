import { ApplicationFailure } from '@temporalio/activity';
import type { LoadedTask } from '../../tasks/load.ts';
import { refuse } from './require-runnable.ts';

/** Refuses with line and column what a folder's task.yaml says; keys that a person named elsewhere have no place there. */
export async function atItsPlace<T>(
  of: { loaded: Pick<LoadedTask, 'placeOf'>; namedElsewhere: readonly string[] },
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    const [, key = ''] = /^([\w.]+): /.exec(error.message) ?? [];
    const place = of.namedElsewhere.includes(key) ? null : of.loaded.placeOf(key.split('.'));
    if (place === null) throw error;
    throw refuse(`${place} ${error.message}`, error.type ?? 'BadTask');
  }
}
