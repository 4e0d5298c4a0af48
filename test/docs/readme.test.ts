import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { SHARED_ROOT } from '../../infra/postgres/data-folder.ts';
import { type EmbeddedPostgres, startPostgres } from '../../infra/postgres/embedded.ts';
import { throwawayHome } from '../support/servers.ts';
import { pages } from './pages.ts';
import { blocksOf, readDoc } from './tables.ts';

let home: string;
let postgres: EmbeddedPostgres;
let database: ReturnType<typeof connect>;

beforeAll(async () => {
  home = await throwawayHome();
  const dir = join(home, 'postgres');
  postgres = await startPostgres({ dir, logFile: join(home, 'postgres.log'), port: null, durable: false });
  await migrate(postgres.url);
  database = connect(postgres.url, { max: 1, onError: () => undefined });
  await database.pool.query(LINEAGE);
});

afterAll(async () => {
  await database.close();
  await postgres.stop();
  if (dirname(dirname(postgres.dataDir)) === SHARED_ROOT) await rm(dirname(postgres.dataDir), { recursive: true });
  await rm(home, { recursive: true });
});

/** SQL of a research: three candidates that descend from each other, the last one kept, and one without children. */
const LINEAGE = `
  insert into task_versions
    (hash, name, task, yaml, stage_hash, immutable_hash, evaluator_hash, metric_key, mutable_paths)
    values ('t', 'nano-lm', '{}', '', '', '', '', '', '[]');
  insert into researches (id, task_hash, proposer, phase, budget, gate_config, gate, baseline_candidate)
    values ('nano-lm', 't', 'random', 'running', '{}', '{}', '{}', 'a');
  insert into candidates (id, immutable_hash, files) select c, '', '{}' from unnest(array['a', 'b', 'c', 'd']) c;
  insert into trials
    (id, research_id, n, kind, seed, task_hash, pool, admission, candidate_id, parent_id, status, value)
    values ('nano-lm/1', 'nano-lm', 1, 'baseline', 1, 't', 'local', '', 'a', null, 'completed', 3),
           ('nano-lm/2', 'nano-lm', 2, 'search', 2, 't', 'local', '', 'b', 'a', 'completed', 2),
           ('nano-lm/3', 'nano-lm', 3, 'search', 3, 't', 'local', '', 'd', 'a', 'completed', 4),
           ('nano-lm/4', 'nano-lm', 4, 'search', 4, 't', 'local', '', 'c', 'b', 'completed', 1);
  insert into claims (research_id, seq, candidate_id, of_trial, previous, value, n, reason)
    values ('nano-lm', 1, 'c', 4, 'a', 1, 13, 'race won');`;

const statements = async (path: string): Promise<string[]> =>
  blocksOf(await readDoc(path), 'sql').flatMap((block) => block.split(/;\s*$/m).filter((text) => text.trim() !== ''));

test('every query of the guide to SQL runs, and the last one finds the ancestors of the best', async () => {
  const queries = await statements('docs/guides/sql.md');
  const answers = [];
  for (const query of queries) answers.push((await database.pool.query<Record<string, unknown>>(query)).rows);
  expect(answers.map((rows) => rows.length)).toEqual([1, 3, 2]);
  expect(answers[2]?.map(({ n }) => n)).toEqual([2, 4]);
});

test('every statement of the guides runs', async () => {
  const guides = (await pages()).filter((path) => path.startsWith('docs/guides/'));
  const shown = (await Promise.all(guides.map(statements))).flat();
  expect(shown.length).toBeGreaterThan(3);
  for (const statement of shown) await database.pool.query(statement);
});
