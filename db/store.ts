import * as call from './call.ts';
import type { Db } from './connect.ts';
import * as host from './host.ts';
import * as research from './research.ts';
import * as run from './run.ts';
import * as slot from './slot.ts';
import * as task from './task.ts';
import * as trial from './trial.ts';

const GROUPS = { research, trial, call, run, slot, host, task };
type Groups = typeof GROUPS;

type Bound<F> = F extends (db: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Every statement by what it is about, bound to a database. */
export type Store = { [Group in keyof Groups]: { [Name in keyof Groups[Group]]: Bound<Groups[Group][Name]> } };

/** Binds the statements to a database. */
export function createStore(db: Db): Store {
  const groups = Object.entries(GROUPS).map(([group, statements]) => [group, bind(db, statements)]);
  return Object.fromEntries(groups) as Store;
}

const bind = (db: Db, statements: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(statements).map(([name, statement]) => [
      name,
      (...rest: unknown[]) => (statement as (db: Db, ...rest: unknown[]) => unknown)(db, ...rest),
    ]),
  );
