import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { prepareStatements } from '../../../../dashboard/server/source/prepare-statements.ts';
import { connect, type Db, type Tx } from '../../../../db/connect.ts';
import { readTogether } from '../../../../db/read-together.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();

/** Runs `use` with a function that runs a transaction, as the server of the page does, on one connection. */
async function withPrepared(use: (run: Db['transaction']) => Promise<void>, pipeline = true): Promise<void> {
  const { db, pool, close } = connect(bench.url, { max: 1, onError: () => undefined, pipeline });
  pool.on('connect', prepareStatements);
  try {
    await use((work, config) => db.transaction(work, config));
  } finally {
    await close();
  }
}

const countPrepared = async (db: Tx, like = '%'): Promise<number> => {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from pg_prepared_statements where statement like ${like}`,
  );
  return rows[0]?.count ?? -1;
};

const valueOf = async (db: Tx, value: number): Promise<number | undefined> =>
  (await db.execute<{ value: number }>(sql`select ${value}::int as value`)).rows[0]?.value;

test('a connection plans a text once, also if many statements with it are under way', () =>
  withPrepared(async (run) => {
    const read = await run((tx) =>
      readTogether(tx, { one: () => valueOf(tx, 1), two: () => valueOf(tx, 2), three: () => valueOf(tx, 3) }),
    );
    expect(read).toEqual({ one: 1, two: 2, three: 3 });
    expect(await run((tx) => valueOf(tx, 4))).toBe(4);
    expect(await run((tx) => countPrepared(tx, 'select $1::int as value%'))).toBe(1);
  }));

test('a connection keeps no more than 500 statements, and runs further ones', () =>
  withPrepared(async (run) => {
    for (let nth = 1; nth <= 510; nth += 1) {
      const text = sql`select ${nth}::int as value, ${sql.raw(String(nth))} as nth`;
      const { rows } = await run((tx) => tx.execute(text));
      expect(rows).toEqual([{ value: nth, nth }]);
    }
    expect(await run((tx) => countPrepared(tx))).toBe(500);
  }));

test('after a migration changed the result of a statement, one read fails and the next one succeeds', async () => {
  await bench.db.execute(sql`create table shown (n int)`);
  await withPrepared(async (run) => {
    const read = async (): Promise<unknown> =>
      (await run((tx) => tx.execute(sql`select * from shown where n >= ${1}`))).rows;
    await bench.db.execute(sql`insert into shown values (1)`);
    expect(await read()).toEqual([{ n: 1 }]);
    await bench.db.execute(sql`alter table shown add column text text`);
    await expect(read()).rejects.toMatchObject({ cause: { code: '0A000' } });
    expect(await read()).toEqual([{ n: 1, text: null }]);
  });
});

test('a read that fails among others ends after all of them, and gives its own error', () =>
  withPrepared(async (run) => {
    const ended: string[] = [];
    const failing = run((tx) =>
      readTogether(tx, {
        first: async () => {
          await valueOf(tx, 1);
          ended.push('first');
        },
        broken: () => tx.execute(sql`select 1 / ${0}::int`),
        late: async () => {
          await valueOf(tx, 2).catch(() => undefined);
          await valueOf(tx, 3).catch(() => ended.push('late'));
        },
      }),
    );
    await expect(failing).rejects.toMatchObject({ cause: { code: '22012' } });
    expect(ended).toEqual(['first', 'late']);
    expect(await run((tx) => valueOf(tx, 5))).toBe(5);
  }));

test('a connection without pipelining reads one part after the other, and stops at a failure', () =>
  withPrepared(async (run) => {
    const begun: string[] = [];
    const reading = run((tx) => {
      const part = (name: string, value: number) => (): Promise<number | undefined> => {
        begun.push(name);
        return valueOf(tx, value);
      };
      return readTogether(tx, { a: part('a', 1), b: part('b', 0.5), c: part('c', 1) });
    });
    await expect(reading).rejects.toMatchObject({ cause: { code: '22P02' } });
    expect(begun).toEqual(['a', 'b']);
  }, false));
