import type { Db } from './connect.ts';
import * as queries from './queries.ts';

type Bound<F> = F extends (db: never, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** Every query, bound to a database. */
export type Store = { [Name in keyof typeof queries]: Bound<(typeof queries)[Name]> };

/** Binds the queries to a database. */
export function createStore(db: Db): Store {
  const bound = Object.entries(queries).map(([name, query]) => [
    name,
    (...rest: unknown[]) => (query as (db: Db, ...rest: unknown[]) => unknown)(db, ...rest),
  ]);
  return Object.fromEntries(bound) as Store;
}
