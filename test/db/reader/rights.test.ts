import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { revokePublicRights } from '../../../db/reader/revoke-public-rights.ts';
import { columnNames, READER_RIGHTS } from '../../../db/reader/reader-rights.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import { readBest } from '../../../db/reads/read-best.ts';
import { readEvents } from '../../../db/reads/read-events.ts';
import { readWorkspace } from '../../../db/reads/read-files.ts';
import { readFleetStatus } from '../../../db/reads/fleet/read-fleet.ts';
import { readLog } from '../../../db/reads/read-log.ts';
import { readResearch, readResearches } from '../../../db/reads/read-research.ts';
import { readRulings } from '../../../db/reads/read-rulings.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { readCalls, readPoints, readTrial } from '../../../db/reads/read-trial.ts';
import { readSample } from '../../../db/reads/policy/read-samples.ts';
import { artefactFiles, artefacts, blobs, taskFiles, workspaceFiles } from '../../../db/schema.ts';
import { BASELINE, hashOf, insertStory } from '../../cli/support/lineage.ts';
import { insertLearning } from '../../support/database/learning.ts';
import { useDatabase } from '../support.ts';
import { query } from './support.ts';

const bench = useDatabase();
const EVALUATOR = 'const ANSWERS = [1, 2, 3];\n';
let reader = '';

beforeAll(async () => {
  const { db, url } = bench;
  await insertStory(db, 'toy');
  await insertLearning(db, 'learns');
  const blobHash = hashOf(EVALUATOR);
  await db.insert(blobs).values({ hash: blobHash, content: Buffer.from(EVALUATOR) });
  await db
    .insert(taskFiles)
    .values({ taskHash: 'task-1', role: 'evaluator', path: 'evaluate.mjs', blobHash, executable: false });
  const kept = { hash: hashOf('weights'), content: Buffer.from('weights') };
  await db.insert(blobs).values(kept);
  await db.insert(artefacts).values({ jobId: 'toy/4', placement: 0, path: 'w.json', blobHash: kept.hash });
  await revokePublicRights(url);
  const address = await readerAddress(url);
  expect(address).toMatchObject({ role: 'reader', why: null });
  reader = address.url;
});

test('each column of the database is either granted to the reader or named as withheld', async () => {
  const rows = await query<{ table: string; columns: string[] }>(
    bench.url,
    `select table_name as table, array_agg(column_name::text order by column_name::text collate "C") as columns
     from information_schema.columns where table_schema = 'public' group by 1`,
  );
  const named = Object.entries(READER_RIGHTS).map(([table, { granted, withheld }]) => [
    table,
    [...columnNames(granted), ...columnNames(withheld)].sort(),
  ]);
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(rows.map(({ table, columns }) => [table, columns])));
});

const ACTS = [
  `insert into notes (id, research_id, text) values ('n', 'toy', 'text')`,
  `update trials set value = 1`,
  `update slots set state = 'free'`,
  `delete from events`,
  `truncate claims`,
  `create table mine (n int)`,
  `create temporary table mine (n int)`,
  `create schema mine`,
  `create function mine() returns int language sql as 'select 1'`,
  `alter table trials disable trigger all`,
  `drop table notes`,
  `alter role current_user superuser`,
  `alter role current_user connection limit 1000`,
  `create role another login superuser`,
  `copy trials (id) to program 'cat'`,
  `copy trials (id) to '/tmp/perpetua-reader'`,
  `select lo_from_bytea(0, 'x')`,
  `select lo_create(0)`,
  `select lo_import('/etc/passwd')`,
  `begin; lock table trials in exclusive mode`,
  `select id from trials for update`,
  `select nextval('slot_fences')`,
];

test.each(ACTS)('%s is refused, even if the session becomes read-write', async (act) => {
  await expect(query(reader, act)).rejects.toThrow();
  const refused = expect(query(reader, 'set session characteristics as transaction read write', act)).rejects;
  await refused.toThrow(/permission denied|must be owner|Only roles with|permission to|must be superuser/);
});

test.each([
  'select secret from installations',
  'select id from installations',
  'select evaluator_seed from trials',
  'select proposer_seed from trials',
  'select trials from trials',
  'select * from trials',
  'select content from blobs',
  'select path from task_files',
  'select spec from jobs',
  'select start from restarts',
  'select count(*) from drizzle.__drizzle_migrations',
  `select pg_read_file('/etc/passwd')`,
  `select pg_ls_dir('/')`,
  'select rolpassword from pg_authid',
  'select pg_advisory_lock(7305118)',
])('%s is refused', (statement) => expect(query(reader, statement)).rejects.toThrow(/permission denied/));

test('the sessions of the role are read-only and have timeouts', async () => {
  await expect(query(reader, 'select pg_sleep(60)')).rejects.toThrow(/statement timeout/);
  const settings = await query(
    reader,
    `select current_setting('default_transaction_read_only') as read, ` +
      `current_setting('idle_in_transaction_session_timeout') as idle`,
  );
  expect(settings).toEqual([{ read: 'on', idle: '10s' }]);
});

test('each view gives its own files, and no view leaks a file of an evaluator, not even through an error', async () => {
  const { db, close } = connect(reader, { max: 1, onError: () => undefined });
  try {
    const given = await db.select({ path: workspaceFiles.path }).from(workspaceFiles);
    expect(given.map(({ path }) => path).sort()).toEqual(['bin/run.sh', 'train.mjs']);
    expect(await db.select({ content: artefactFiles.content }).from(artefactFiles)).toEqual([
      { content: Buffer.from('weights') },
    ]);
    const files = await readWorkspace(db, { candidateId: BASELINE, taskHash: 'task-1' });
    expect(files?.map(({ path }) => path)).toEqual(['bin/run.sh', 'train.mjs']);
  } finally {
    await close();
  }
  // If Postgres evaluated a condition of the reader before that of the view, its error could leak a hidden row.
  const open = `select relname from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace
    and not coalesce(reloptions, '{}') @> '{security_barrier=true}'`;
  expect(await query(bench.url, open)).toEqual([]);
});

/** The value without the seconds of waits, which differ between two reads. */
const timeless = (read: unknown): unknown =>
  JSON.parse(
    JSON.stringify(read, (key, value: unknown) => (key === 'queue' ? { ...(value as object), seconds: 0 } : value)),
  );

test('the role can read all that the command line reads of researches', async () => {
  const asOwner = connect(bench.url, { max: 1, onError: () => undefined });
  const asReader = connect(reader, { max: 1, onError: () => undefined });
  const readAll = async ({ db }: typeof asOwner) => {
    const research = (await readResearch(db, { researchId: 'toy' })) ?? expect.unreachable();
    const events = await readEvents(db, { researchId: 'toy', limit: 10 });
    return {
      researches: await readResearches(db),
      best: await readBest(db, { research }),
      status: await readStatus(db, { research }),
      log: await readLog(db, { researchId: 'toy' }),
      rulings: await readRulings(db, { researchId: 'toy', limit: 5 }),
      trial: await readTrial(db, { trialId: 'toy/4' }),
      calls: await readCalls(db, { trialId: 'toy/4' }),
      points: await readPoints(db, { trialId: 'toy/4' }),
      sample: await readSample(db, { trialId: 'learns/3', plan: null }),
      fleet: await readFleetStatus(db),
      events,
    };
  };
  try {
    expect(timeless(await readAll(asReader))).toEqual(timeless(await readAll(asOwner)));
  } finally {
    await Promise.all([asOwner.close(), asReader.close()]);
  }
});
