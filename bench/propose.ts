/**
 * Measures the CPU of a choice of a parent by `puct` and of an outcome, on trees of several sizes:
 * node dist/bench/propose.js [trials, …] [choices]
 * The trees are written in bulk by the functions of the product. Then choices and outcomes follow, 16 in flight.
 */
import { sql } from 'drizzle-orm';
import { keepTree } from '../activities/outcome/observers/keep-tree.ts';
import { chooseParent } from '../activities/propose/parent/choose-parent.ts';
import { connect } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { createStore } from '../db/store.ts';
import { buildTree, type TreeTrial } from '../domain/search/parent/build-tree.ts';
import { createRandom } from '../domain/statistics/random.ts';
import type { Task } from '../domain/task/task.ts';
import { removeTree } from '../infra/remove-tree.ts';
import { cpuSeconds } from './support/cpu-seconds.ts';
import { insertRows } from './support/seed/insert-rows.ts';
import { seedResearch } from './support/seed/seed-research.ts';
import { startTestPostgres, throwawayHome } from './support/servers.ts';
import { printTable } from './support/table.ts';

const SIZES = (process.argv[2] ?? '100,1000,10000,100000').split(',').map(Number);
const CHOICES = Number(process.argv[3] ?? 1000);
const IN_FLIGHT = 16;
const TASK = { search: { parent: 'puct' } } as Task;

const home = await throwawayHome();
const postgres = await startTestPostgres(home, true);
// There is one connection, so that one process has all the CPU of Postgres that is counted.
const database = connect(postgres.url, { max: 1, onError: (error) => process.stderr.write(`${error.message}\n`) });
const store = createStore(database.db);
try {
  await migrate(postgres.url);
  const rows = [];
  for (const trials of SIZES) rows.push(await measure(trials));
  printTable(
    `CPU of ${CHOICES} choices and outcomes, ${IN_FLIGHT} in flight, in ms each`,
    ['nodes', 'deepest', 'choice: Node', 'Postgres', 'together', 'outcome: Node', 'Postgres'],
    rows,
  );
} finally {
  await database.close();
  await postgres.stop();
  await removeTree(home);
}

/** Trials of a search whose parents are the best of a few earlier candidates, and whose gains are small. */
function trialsOf(original: string, count: number): TreeTrial[] {
  const random = createRandom(count);
  const trials: TreeTrial[] = [{ kind: 'baseline', candidateId: original, parentId: null, isOpen: false, value: 0 }];
  for (let i = 1; i < count; i += 1) {
    const some = Array.from({ length: 8 }, () => trials[random.below(i)]).toSorted(
      (a, b) => (b?.value ?? 0) - (a?.value ?? 0),
    );
    const value = (some[0]?.value ?? 0) - 0.02 + 0.1 * random.normal();
    const parentId = some[0]?.candidateId ?? original;
    trials.push({
      kind: 'search',
      candidateId: `candidate-${count}-${i}`.padEnd(64, '0'),
      parentId,
      isOpen: false,
      value,
    });
  }
  return trials;
}

async function measure(count: number): Promise<(string | number)[]> {
  const id = `of-${count}`;
  await seedResearch(database.db, { id, trials: 50 });
  const research = await store.research.findResearch(id);
  if (!research) throw new Error(`expected the research ${id} to be stored`);
  const trials = trialsOf(research.gate.baselineId, count);
  const nodes = buildTree(research.gate.baselineId, trials);
  await insertRows(
    database.db,
    'trials',
    trials.slice(1).map(({ parentId }, index) => rowOf(index + 1, parentId, 'completed')),
  );
  await store.tree.storeTree({ researchId: id, nodes, niches: [] });
  await database.db.execute(sql`vacuum analyze nodes`);
  await database.db.execute(sql`vacuum analyze trials`);
  const { rows } = await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const random = createRandom(7);
  const values = new Map(nodes.map(({ candidateId, value }) => [candidateId, value ?? 0]));
  const spent = { choice: { node: 0, postgres: 0 }, outcome: { node: 0, postgres: 0 } };
  for (let from = 0; from < CHOICES; from += IN_FLIGHT) {
    const open: { n: number; parentId: string }[] = [];
    for (let n = count + from; n < count + from + IN_FLIGHT; n += 1) {
      await insertRows(database.db, 'trials', [rowOf(n, null, null)]);
      const trial = await store.trial.loadTrial(`${id}/${n + 1000}`);
      const parentId = await timed(spent.choice, pid, () =>
        store.withResearch(id, async (tx, locked) => {
          const { candidateId } = await chooseParent(tx, { research: locked, trial, rule: TASK.search.parent });
          await tx.tree.visitNode({ researchId: id, candidateId, trialId: trial.id });
          return candidateId;
        }),
      );
      await database.db.execute(sql`update trials set parent_id = ${parentId} where id = ${trial.id}`);
      open.push({ n, parentId });
    }
    for (const { n, parentId } of open) {
      const candidateId = `new-${count}-${n}`.padEnd(64, '0');
      const value = (values.get(parentId) ?? 0) - 0.02 + 0.1 * random.normal();
      values.set(candidateId, value);
      await database.db.execute(sql`update trials set status = 'completed' where id = ${`${id}/${n + 1000}`}`);
      const found = await store.trial.loadTrial(`${id}/${n + 1000}`);
      const trial = { ...found, candidateId, value: research.gateConfig.direction === 'minimize' ? -value : value };
      await timed(spent.outcome, pid, () =>
        store.withResearch(id, (tx, locked) => keepTree({ tx, research: locked, trial, incomparableReason: null })),
      );
    }
  }
  const each = ({ node, postgres: part }: { node: number; postgres: number }) =>
    [node / CHOICES, part / CHOICES] as const;
  const [choice, outcome] = [each(spent.choice), each(spent.outcome)];
  return [count, Math.max(...nodes.map(({ depth }) => depth)), ...choice, choice[0] + choice[1], ...outcome];

  function rowOf(n: number, parentId: string | null, status: string | null) {
    return {
      id: `${id}/${n + 1000}`,
      research_id: id,
      n: n + 1000,
      kind: 'search',
      seed: n,
      task_hash: research?.taskHash,
      pool: 'lab',
      admission: 'a',
      parent_id: parentId,
      status,
    };
  }
}

/** Adds the CPU milliseconds of some work. */
async function timed<T>(cost: { node: number; postgres: number }, pid: number, work: () => Promise<T>): Promise<T> {
  const before = { postgres: cpuSeconds(pid), node: process.cpuUsage() };
  const result = await work();
  const { user, system } = process.cpuUsage(before.node);
  cost.node += (user + system) / 1000;
  cost.postgres += (cpuSeconds(pid) - before.postgres) * 1000;
  return result;
}
