import * as call from './store/call.ts';
import type { Db, Tx } from './connect.ts';
import * as event from './store/event.ts';
import * as host from './store/host.ts';
import * as job from './store/job.ts';
import * as learning from './store/learning.ts';
import * as notify from './store/notify.ts';
import * as research from './store/research.ts';
import { lockResearch, type Research } from './research/research.ts';
import * as run from './store/run.ts';
import * as slot from './store/slot.ts';
import * as task from './store/task.ts';
import * as tree from './store/tree.ts';
import * as trial from './store/trial.ts';

const GROUPS = { research, trial, call, run, slot, host, job, task, event, learning, tree, notify };
type Groups = typeof GROUPS;

type Bound<F> = F extends (db: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Every statement, grouped by subject and bound to one transaction. */
export type TxStore = { [Group in keyof Groups]: { [Name in keyof Groups[Group]]: Bound<Groups[Group][Name]> } };

/** Every statement, grouped by subject and bound to a database. */
export interface Store extends TxStore {
  /**
   * Runs `work` in one transaction that locks the research's row: admissions, outcomes, verdicts and changes of task
   * happen one at a time. An error of `work` rolls all of it back. Throws if there is no such research.
   */
  withResearch: <T>(id: string, work: (tx: TxStore, research: Research) => Promise<T>) => Promise<T>;
}

/** Binds the statements to a database. */
export function createStore(db: Db): Store {
  return {
    ...bindAll(db),
    withResearch: (id, work) => db.transaction(async (tx) => work(bindAll(tx), await lockResearch(tx, id))),
  };
}

function bindAll(db: Tx): TxStore {
  const groups = Object.entries(GROUPS).map(([group, statements]) => [group, bind(db, statements)]);
  return Object.fromEntries(groups) as TxStore;
}

const bind = (db: Tx, statements: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(statements).map(([name, statement]) => [
      name,
      (...rest: unknown[]) => (statement as (db: Tx, ...rest: unknown[]) => unknown)(db, ...rest),
    ]),
  );
