import type { z } from 'zod';
import type { Settings } from '../../config/dashboard/settings.ts';
import type { Tx } from '../../db/connect.ts';
import type { PageCaches } from '../../db/reads/page/page-caches.ts';

/** What every route may read from. */
export interface HomeDeps {
  /** Absolute folder of all state. */
  home: string;
  /** When the request came. */
  now: Date;
}

/** What a route of researches reads from. */
export interface ReadDeps extends HomeDeps {
  /** A transaction that sees one state of the database and writes nothing; a statement of more than 5 s is ended. */
  db: Tx;
  /** Where a person looks at workflows; null where that is not known, or no Web UI is. */
  temporal: Settings['temporal'];
  /** The server's, for all its answers. */
  kept: PageCaches;
}

/**
 * One resource. The app parses `input` and refuses what does not fit (400, with the key path), opens the transaction, answers
 * 404 to `undefined`, 503 to a Postgres that is away, and encodes the rest as JSON with an ETag. So `read` knows no HTTP.
 */
export interface Route<Input extends z.ZodType = z.ZodType, Deps = ReadDeps, Data = unknown> {
  /** Below `api/v1/`, as `research/:id/trials`; an id is one URL-encoded segment. */
  path: string;
  /** The path's parameters and the query together, each a string that was given at most once. */
  input: Input;
  /** What is told; undefined where there is no such thing. */
  read(deps: Deps, input: z.output<Input>): Promise<Data | undefined>;
}

/** A route that reads the database. */
export const route = <Input extends z.ZodType, Data>(given: Route<Input, ReadDeps, Data>) => ({
  ...given,
  needs: 'database' as const,
});

/** A route that answers without Postgres, too. */
export const homeRoute = <Input extends z.ZodType, Data>(given: Route<Input, HomeDeps, Data>) => ({
  ...given,
  needs: 'home' as const,
});

export type AnyRoute = (Route & { needs: 'database' }) | (Route<z.ZodType, HomeDeps> & { needs: 'home' });
