import type { z } from 'zod';
import type { Settings } from '../../config/dashboard/settings.ts';
import type { Tx } from '../../db/connect.ts';
import type { TemporalPulse } from '../../view/pulse.ts';
import type { PageCaches } from '../../db/reads/page/page-caches.ts';

/** Dependencies of every route. */
export interface HomeDeps {
  /** Absolute path of the folder of all state. */
  home: string;
  /** Time of the request. */
  now: Date;
}

/** Dependencies of a route that reads the database. */
export interface ReadDeps extends HomeDeps {
  /** A read-only transaction on a single snapshot. Postgres cancels a statement after 5 s. */
  db: Tx;
  /** Address and namespace of Temporal's Web UI; null if unknown, or there is no Web UI. */
  temporal: Settings['temporal'];
  /** The newest answer of Temporal, which is asked at most every 10 s. */
  lookAtTemporal: () => TemporalPulse;
  /** Caches of the server, shared by all its answers. */
  caches: PageCaches;
}

/**
 * A resource of the API. `read` is free of HTTP, since the app does that part: it parses `input` and refuses invalid
 * input (400, with the key path). It opens the transaction and encodes the data as JSON with an ETag. It answers 404 if
 * `read` returns undefined, and 503 if Postgres is away.
 */
export interface Route<Input extends z.ZodType = z.ZodType, Deps = ReadDeps, Data = unknown> {
  /** Path below `api/v1/`, such as `research/:id/trials`; an id is one URL-encoded segment. */
  path: string;
  /** Schema of the parameters of path and query together: each is a string that was given at most once. */
  input: Input;
  /** Returns the answer's data; undefined if the resource does not exist. */
  read(deps: Deps, input: z.output<Input>): Promise<Data | undefined>;
}

/** A route that reads the database. */
export const route = <Input extends z.ZodType, Data>(definition: Route<Input, ReadDeps, Data>) => ({
  ...definition,
  needs: 'database' as const,
});

/** A route that needs no Postgres. */
export const homeRoute = <Input extends z.ZodType, Data>(definition: Route<Input, HomeDeps, Data>) => ({
  ...definition,
  needs: 'home' as const,
});

export type AnyRoute = (Route & { needs: 'database' }) | (Route<z.ZodType, HomeDeps> & { needs: 'home' });
