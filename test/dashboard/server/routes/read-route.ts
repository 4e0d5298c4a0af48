import { sql } from 'drizzle-orm';
import { expect, vi } from 'vitest';
import type { z } from 'zod';
import type { Db } from '../../../../db/connect.ts';
import type { ReadDeps } from '../../../../dashboard/server/route.ts';
import { createPageCaches } from '../../../../db/reads/page/page-caches.ts';

interface RouteReader<Input extends z.ZodType, Data> {
  input: Input;
  read: (deps: ReadDeps, input: z.output<Input>) => Promise<Data | undefined>;
}

/** Default time of a request. */
export const NOW = new Date('2026-11-20T12:00:00Z');

/** Answer of a route, called as the app does: with input parsed from text, in one state of the database. */
export const readRoute = <Input extends z.ZodType, Data>(
  db: Db,
  route: RouteReader<Input, Data>,
  { input = {}, now = NOW }: { input?: Record<string, string>; now?: Date } = {},
): Promise<Data | undefined> =>
  db.transaction(
    (tx) => {
      const deps = {
        db: tx,
        now,
        home: '/nowhere',
        temporal: null,
        caches: createPageCaches(),
        lookAtTemporal: () => ({ state: 'unknown' as const, oldestTaskSeconds: null }),
      };
      return route.read(deps, route.input.parse(input));
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );

/** Answer of a route; throws if the route has none. */
export async function readData<Input extends z.ZodType, Data>(
  ...args: Parameters<typeof readRoute<Input, Data>>
): Promise<Data> {
  const found = await readRoute<Input, Data>(...args);
  if (found === undefined) throw new Error('expected an answer of the route, there is no such thing');
  return found;
}

/** Waits until every event is readable: an open transaction of another test may hold events back for a moment. */
export const untilReadable = (db: Db): Promise<void> =>
  vi.waitFor(async () => {
    const { rows } = await db.execute(sql`select 1 from events where xid >= pg_snapshot_xmin(pg_current_snapshot())`);
    expect(rows).toEqual([]);
  }, 20_000);
