import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Problem } from '../../../../dashboard/api/problem.ts';
import { type AnyRoute, homeRoute, type ReadDeps, route } from '../../../../dashboard/server/route.ts';
import { DamagedRowError } from '../../../../db/damaged.ts';
import { useDatabase } from '../../../db/support.ts';
import { type Answer, useDashboard } from '../support.ts';

const bench = useDatabase();
const serve = useDashboard();
const onRoutes = (...routes: AnyRoute[]) => serve({ databaseUrl: bench.url }, routes);
const problemIn = ({ status, text }: Answer) => ({ status, ...(JSON.parse(text) as Problem) });

const echo = homeRoute({
  path: 'thing/:id/of',
  input: z.strictObject({ id: z.string(), n: z.coerce.number().int().min(1).default(7) }),
  read: async (_deps, { id, n }) => (id === 'none' ? undefined : { id, n }),
});
const reading = (read: (deps: ReadDeps) => Promise<unknown>) => route({ path: 'it', input: z.strictObject({}), read });

describe('input', () => {
  test('consists of the parameters of path and query; an id is one encoded segment', async () => {
    const { get } = await onRoutes(echo);
    const id = 'study/a b/r%2F03?';
    const answer = await get(`api/v1/thing/${encodeURIComponent(id)}/of?n=3`);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text)).toEqual({ id, n: 3 });
    expect(JSON.parse((await get('api/v1/thing/x/of')).text)).toEqual({ id: 'x', n: 7 });
  });

  test.each([
    ['n=0', 'n'],
    ['n=1.5', 'n'],
    ['n=many', 'n'],
    ['n=1&n=2', 'n'],
    ['m=1', 'm'],
    ['id=2&m.a=1', 'm.a'],
  ])('that does not fit is refused by its key: %s', async (query, key) => {
    const { get } = await onRoutes(echo);
    const problem = problemIn(await get(`api/v1/thing/x/of?${query}`));
    expect(problem).toMatchObject({ status: 400, code: 'refused', issues: [{ path: key }] });
    expect(problem.error).toContain(`${key}: `);
  });
});

test('hidden characters of a request or a row are named in the refusal that quotes them', async () => {
  const fault = { column: 'gate', expected: 'a gate', got: 1 };
  const damaged = reading(() => Promise.reject(new DamagedRowError('the row of "a\u202eb\u001b[2J"', fault)));
  const { get } = await onRoutes(echo, damaged);
  const refused = problemIn(await get('api/v1/thing/x/of?a%E2%80%AEb%1B=1'));
  expect(refused).toMatchObject({
    error: 'a[U+202E]b[ESC]: there is no such parameter',
    issues: [{ path: 'a[U+202E]b[ESC]' }],
  });
  expect(problemIn(await get('api/v1/it')).error).toMatch(/^the row of "a\[U\+202E\]b\[ESC\]\[2J" is damaged/);
});

test('input with a NUL, which Postgres cannot store in a text, is refused in path and query', async () => {
  const { get, reportedErrors } = await serve({ databaseUrl: bench.url });
  for (const [path, key] of [
    ['research/a%00', 'id'],
    ['trial/a%2F1%00/log', 'id'],
    ['research/a/order?text=%00', 'text'],
    ['spend?research=%00', 'research'],
  ])
    expect(problemIn(await get(`api/v1/${path}`))).toMatchObject({
      status: 400,
      code: 'refused',
      issues: [{ path: key }],
    });
  expect(reportedErrors).toEqual([]);
});

describe('an answer', () => {
  test('without a result is 404 with a message, as is an unknown resource', async () => {
    const { get } = await onRoutes(echo);
    for (const path of ['thing/none/of', 'thing/none', 'nothing'])
      expect(problemIn(await get(`api/v1/${path}`))).toMatchObject({ status: 404, code: 'not-found' });
  });

  test('that differs in its time only counts as unchanged', async () => {
    let now = 1;
    const { get } = await onRoutes(reading(async () => ({ n: 1, now: (now += 1) })));
    const { headers } = await get('api/v1/it');
    expect((await get('api/v1/it', { 'if-none-match': headers.etag ?? '' })).status).toBe(304);
  });

  test('is not sent again while it is unchanged', async () => {
    let n = 1;
    const { get } = await onRoutes(reading(async () => ({ n })));
    const { headers } = await get('api/v1/it');
    const known = { 'if-none-match': headers.etag ?? '' };
    expect([(await get('api/v1/it', known)).status, (await get('api/v1/it', known)).text]).toEqual([304, '']);
    n = 2;
    // An answer is shared for a moment.
    await vi.waitFor(async () => {
      const changed = await get('api/v1/it', known);
      expect([changed.status, changed.text]).toEqual([200, '{"n":2}']);
      expect(changed.headers['cache-control']).toBe('private, no-cache');
    }, 20_000);
  });

  test('reads one state of the database, and can write nothing', async () => {
    const count = async ({ db }: ReadDeps) =>
      (await db.execute<{ n: number }>(sql`select count(*)::int as n from events`)).rows[0]?.n;
    const insert = sql`insert into events (kind, level, data) values ('kind', 'info', '{}')`;
    const { get, reportedErrors } = await onRoutes(
      reading(async (deps) => {
        const before = await count(deps);
        await bench.db.execute(insert);
        return { before, after: await count(deps) };
      }),
      route({ path: 'write', input: z.strictObject({}), read: async ({ db }) => db.execute(insert) }),
    );
    const { before, after } = JSON.parse((await get('api/v1/it')).text) as { before: number; after: number };
    expect(after).toBe(before);
    expect(problemIn(await get('api/v1/write'))).toMatchObject({ status: 500, code: 'failed' });
    expect(reportedErrors.join('\n')).toMatch(/read-only transaction/);
  });
});

describe('an error', () => {
  test('of a statement that takes too long has a code of its own', async () => {
    const { get } = await onRoutes(
      reading(async ({ db }) => {
        expect((await db.execute(sql`show statement_timeout`)).rows).toEqual([{ statement_timeout: '5s' }]);
        await db.execute(sql`set local statement_timeout = 50`);
        await db.execute(sql`select pg_sleep(60)`);
      }),
    );
    const problem = problemIn(await get('api/v1/it'));
    expect(problem).toMatchObject({
      status: 503,
      code: 'timeout',
      error: expect.stringMatching(/took too long/) as string,
    });
  });

  test('of a database that is not set up yet, or is away, has a code of its own', async () => {
    const { get } = await onRoutes(reading(({ db }) => db.execute(sql`select * from there_is_no_such_table`)));
    expect(problemIn(await get('api/v1/it'))).toMatchObject({ status: 503, code: 'not-ready' });
    const nowhere = await serve({ readUrl: 'postgres://u:the-password@127.0.0.1:1/db' }, [reading(async () => 1)]);
    const away = await nowhere.get('api/v1/it');
    expect(problemIn(away)).toMatchObject({ status: 503, code: 'away' });
    expect(away.text).not.toContain('the-password');
    const unknown = await serve({}, [reading(async () => 1)]);
    expect(problemIn(await unknown.get('api/v1/it'))).toMatchObject({ status: 503, code: 'away' });
  });

  test('of a damaged row names the row and what to do', async () => {
    const { get, reportedErrors } = await onRoutes(
      reading(async () => {
        throw new DamagedRowError('researches toy', { column: 'gate', expected: 'a state', got: {} });
      }),
    );
    const problem = problemIn(await get('api/v1/it'));
    expect(problem).toMatchObject({ status: 500, code: 'unreadable' });
    expect(problem.error).toMatch(/^researches toy is damaged: .*restore the row from a backup$/);
    expect(reportedErrors).toEqual([]);
  });

  test('in the code has a general message, and its details are in the log, without the secret', async () => {
    const { get, reportedErrors, secret } = await onRoutes(
      reading(async () => {
        throw new Error('broken at /home/me');
      }),
    );
    const answer = await get('api/v1/it');
    expect(problemIn(answer)).toMatchObject({ status: 500, code: 'failed' });
    expect(answer.text).not.toMatch(/broken|\.ts/);
    expect(reportedErrors.join('\n')).toContain('broken at /home/me');
    expect(reportedErrors.join('\n')).not.toContain(secret.path);
    expect(reportedErrors.join('\n')).not.toContain(secret.token);
  });
});
