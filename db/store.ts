import * as call from './call.ts';
import type { Tx } from './connect.ts';
import * as host from './host.ts';
import * as research from './research.ts';
import { lockResearch, type Research } from './research/research.ts';
import * as run from './run.ts';
import * as slot from './slot.ts';
import * as task from './task.ts';
import * as trial from './trial.ts';

const GROUPS = { research, trial, call, run, slot, host, task };
type Groups = typeof GROUPS;

type Bound<F> = F extends (db: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Every statement by what it is about, bound to a database or to a transaction on it. */
export type Store = { [Group in keyof Groups]: { [Name in keyof Groups[Group]]: Bound<Groups[Group][Name]> } } & {
  /** Work on one research in one transaction, under its row lock; an error rolls all of it back. */
  withResearch<Result>(id: string, work: (tx: Store, research: Research) => Promise<Result>): Promise<Result>;
};

/** Binds the statements to a database. */
export function createStore(db: Tx): Store {
  const groups = Object.entries(GROUPS).map(([group, statements]) => [group, bind(db, statements)]);
  const withResearch: Store['withResearch'] = (id, work) =>
    db.transaction(async (tx) => work(createStore(tx), await lockResearch(tx, id)));
  return { ...(Object.fromEntries(groups) as Omit<Store, 'withResearch'>), withResearch };
}

const bind = (db: Tx, statements: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(statements).map(([name, statement]) => [
      name,
      (...rest: unknown[]) => (statement as (db: Tx, ...rest: unknown[]) => unknown)(db, ...rest),
    ]),
  );
