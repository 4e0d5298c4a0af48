import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artefacts, blobs, calls, events, installations } from '../../../db/schema.ts';
import { socketFolderOf } from '../../../infra/gateway/run-gateway.ts';
import { layoutOf, runName } from '../../../infra/compute/run-protocol/paths.ts';
import { insertStory } from '../support/lineage.ts';
import { sharedServer, type Lineage, type Server } from '../support/database.ts';
import { NOWHERE, run } from '../support/cli.ts';

let server: Server;
let lineage: Lineage;
let home: string;
let runsDir: string;
const old = new Date(Date.now() - 7_200_000);

async function folder(path: string, young = false): Promise<void> {
  await mkdir(path, { recursive: true });
  if (!young) await utimes(path, old, old);
}

beforeAll(async () => {
  server = sharedServer();
  lineage = await server.open();
  await insertStory(lineage.db, 'toy');
  home = await mkdtemp(join(tmpdir(), 'perpetua-clean-'));
  const installation = (await lineage.db.select().from(installations))[0]?.id ?? '';
  runsDir = layoutOf(home, installation).runs;
});

afterAll(async () => {
  await lineage.close();
  await rm(home, { recursive: true, force: true });
});

const perpetua = (...argv: string[]) => perpetuaWith({}, ...argv);
const perpetuaWith = (env: Record<string, string>, ...argv: string[]) =>
  run(argv, {
    env: {
      ...env,
      DATABASE_URL: lineage.url,
      TEMPORAL_ADDRESS: NOWHERE,
      PERPETUA_HOME: home,
      PERPETUA_TRAINER_CACHE: join(home, 'trainer'),
      PERPETUA_AGENT_CACHE: join(home, 'agents'),
    },
  });

/** Makes a path unremovable, also for root, or removable again; returns false if the file system cannot do that. */
const pin = (how: '+i' | '-i', path: string): Promise<boolean> =>
  promisify(execFile)('chattr', [how, path]).then(
    () => true,
    () => false,
  );

const nameOf = (n: number) => runName({ jobId: `toy/${n}`, placement: 0 });

describe('clean', () => {
  it('removes old run directories, stages and logs that nothing needs, after saying so on a dry run', async () => {
    for (const n of [1, 2, 4, 6]) await folder(join(runsDir, nameOf(n)), n === 2);
    await folder(join(home, 'stages', 's'));
    await folder(join(home, 'stages', 'unused'));
    const socketFolder = (n: number) => socketFolderOf({ jobId: `toy/${n}`, placement: 0 });
    // Trial 6 is running, and the row of trial 99 is gone.
    for (const n of [6, 99]) await folder(join(home, 'gateway', socketFolder(n)));
    await mkdir(join(home, 'logs'));
    for (const name of ['worker.log', 'worker.log.1']) {
      await writeFile(join(home, 'logs', name), '');
      await utimes(join(home, 'logs', name), old, old);
    }
    const expected = {
      runs: [nameOf(1)],
      killed: [],
      stages: ['unused'],
      logs: ['worker.log.1'],
      checkpoints: [],
      leftovers: [socketFolder(99)],
      failed: [],
      artefacts: { files: 0, bytes: 0 },
      events: 0,
      attention: 0,
      messages: 0,
      outputs: 0,
      calls: 0,
    };

    const dry = await perpetua('clean', '--dry-run', '--keep', '0', '--json');
    expect(dry.json()).toEqual([{ dryRun: true, ...expected }]);
    expect(await readdir(runsDir)).toHaveLength(4);

    const wet = await perpetua('clean', '--keep', '0', '--json');
    expect(wet.json()).toEqual([{ dryRun: false, ...expected }]);
    // Run 1 was old and lost; 2 is young, 4 was kept, 6 is running.
    expect((await readdir(runsDir)).sort()).toEqual([2, 4, 6].map(nameOf).sort());
    expect(await readdir(join(home, 'stages'))).toEqual(['s']);
    expect(await readdir(join(home, 'gateway'))).toEqual([socketFolder(6)]);
    expect(await readdir(join(home, 'logs'))).toEqual(['worker.log']);
  });

  it('removes events of single trials after 90 days, and no others, after saying so in a dry run', async () => {
    const insert = (level: string, days: number) =>
      lineage.db
        .insert(events)
        .values({ kind: 'any', level, data: {}, at: sql`now() - make_interval(days => ${days})` });
    for (const level of ['detail', 'notice']) for (const days of [89, 91]) await insert(level, days);
    const count = async () => (await lineage.db.select().from(events)).length;
    expect((await perpetua('clean', '--dry-run', '--json')).json()).toMatchObject([{ events: 1 }]);
    expect(await count()).toBe(4);
    expect((await perpetua('clean')).stdout).toContain('removed 1 old event of single trials from Postgres');
    expect(await count()).toBe(3);
  });

  it('removes requests and answers of old model calls if PERPETUA_CALL_DAYS is set, after saying so', async () => {
    const call = {
      trialId: 'toy/4',
      turn: 0,
      model: 'm',
      request: { messages: [] },
      sentAt: sql`now() - interval '9 days'`,
    };
    await lineage.db.insert(calls).values(call);
    await lineage.db.execute(sql`update trials set ended_at = now() - interval '8 days' where id = 'toy/4'`);
    const clean = (days: string, ...argv: string[]) => perpetuaWith({ PERPETUA_CALL_DAYS: days }, 'clean', ...argv);
    expect((await perpetua('clean', '--json')).json()).toMatchObject([{ calls: 0 }]);
    expect((await clean('9', '--json')).json()).toMatchObject([{ calls: 0 }]);
    expect((await clean('7', '--dry-run')).stdout).toContain('would remove request and answer of 1 old model call');
    expect((await clean('7')).stdout).toContain('removed request and answer of 1 old model call from Postgres');
    expect(await lineage.db.select().from(calls)).toMatchObject([
      { request: null, removedAt: expect.any(Date) as Date },
    ]);
  });

  it('removes contents of old artefacts from Postgres, after saying so in a dry run', async () => {
    const content = Buffer.from('what a crashed run left');
    await lineage.db.insert(blobs).values({ hash: 'left', content });
    await lineage.db.insert(artefacts).values({ jobId: 'toy/5', placement: 0, path: 'out.txt', blobHash: 'left' });
    const found = { files: 1, bytes: content.length };
    expect((await perpetua('clean', '--keep', '2', '--json')).json()).toMatchObject([{ artefacts: { files: 0 } }]);
    const dry = await perpetua('clean', '--dry-run', '--keep', '0', '--json');
    expect(dry.json()).toMatchObject([{ dryRun: true, artefacts: found }]);
    const cleaned = await perpetua('clean', '--keep', '0');
    expect(cleaned.stdout).toContain('removed the contents of 1 artefact, 0.0 MB, from Postgres');
    expect(await lineage.db.select().from(artefacts)).toMatchObject([{ blobHash: 'left', size: content.length }]);
    expect(await lineage.db.select().from(blobs).where(eq(blobs.hash, 'left'))).toEqual([]);
  });

  it('ends with 1 and says why if something cannot be removed', async ({ skip }) => {
    const stuck = join(runsDir, nameOf(1));
    await folder(stuck);
    if (!(await pin('+i', stuck))) skip('this file system or user pins no file');
    const failed = await perpetua('clean', '--keep', '0');
    const failedJson = await perpetua('clean', '--keep', '0', '--json');
    await pin('-i', stuck);
    expect(failed).toMatchObject({ code: 1, stderr: '1 run directory could not be removed\n' });
    expect(failed.stdout).toContain(`could not remove run directory ${nameOf(1)}: `);
    const error = { code: 'failed', message: '1 run directory could not be removed' };
    expect(failedJson.json()).toMatchObject([{ dryRun: false, failed: [{ name: nameOf(1) }], error }]);
    expect(failedJson.json()).toHaveLength(1);
  });

  it('refuses invalid numbers', async () => {
    expect((await perpetua('clean', '--older-than', 'soon')).code).toBe(2);
    expect((await perpetua('clean', '--keep', '-1')).code).toBe(2);
  });
});
