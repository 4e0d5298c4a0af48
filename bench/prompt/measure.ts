import { sql } from 'drizzle-orm';
import type { ActivityDeps } from '../../activities/deps.ts';
import { chatPromptOf } from '../../activities/propose/prompt/messages-of.ts';
import { parentFiles } from '../../activities/propose/parent-files.ts';
import type { ProposeContext } from '../../activities/propose/propose-context.ts';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { createStore, type Store } from '../../db/store.ts';
import { MEMORY_BYTES } from '../../domain/edit/answer/memory.ts';
import { storedFeedback } from '../../domain/metric/feedback.ts';
import type { PartSize } from '../../domain/search/context/build-messages.ts';
import { Task } from '../../domain/task/task.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { cpuSeconds } from '../support/cpu-seconds.ts';
import { seedResearch } from '../support/seed/seed-research.ts';
import { startTestPostgres, throwawayHome } from '../support/servers.ts';

/** Prompts that are built for one measurement. */
const PROMPTS = 20;

/** Tokens and cost of a prompt after a number of trials. */
export interface Measured {
  trials: number;
  sizes: PartSize[];
  /** CPU milliseconds of a prompt: of this process, and of Postgres. */
  cpu: { node: number; postgres: number };
}

/** Seeds a research for each number of trials, and builds the prompt of its next trial with every part. */
export async function measurePrompts(counts: readonly number[]): Promise<Measured[]> {
  const home = await throwawayHome();
  const postgres = await startTestPostgres(home, true);
  // There is one connection, so that one process has all the CPU of Postgres that is counted.
  const database = connect(postgres.url, { max: 1, onError: (error) => process.stderr.write(`${error.message}\n`) });
  try {
    await migrate(postgres.url);
    const store = createStore(database.db);
    const measured: Measured[] = [];
    for (const trials of counts) {
      const id = `after-${trials}`;
      await seedResearch(database.db, { id, trials, phase: 'stopped' });
      await database.db.execute(sql`
        update trials set feedback = ${JSON.stringify(FEEDBACK)}::jsonb
        where research_id = ${id} and status = 'completed' and n > ${trials - 200}`);
      await store.trial.saveMemory({ researchId: id, trialId: `${id}/${trials}`, text: MEMORY });
      await database.db.execute(sql`analyze`);
      const context = await contextIn(store, `${id}/${trials}`);
      measured.push({ trials, ...(await measure(context, { store, pid: postgres.pid() })) });
    }
    return measured;
  } finally {
    await database.close();
    await postgres.stop();
    await removeTree(home);
  }
}

const MEMORY = 'Wider layers cost steps; a rate of .002 is best below 300 warm-up steps.\n'
  .repeat(300)
  .slice(0, MEMORY_BYTES);
const FEEDBACK = storedFeedback(
  Array.from({ length: 40 }, (_, i) => ({
    name: `sentence ${i}`,
    value: i / 7,
    text: 'the loss is highest after a full stop, where the next word has no context yet',
    heldOut: i % 4 === 0,
  })),
);

/** The context of a proposal whose parent is that of a stored trial, with all parts turned on. */
async function contextIn(store: Store, trialId: string): Promise<ProposeContext> {
  const { trial, research } = await store.trial.loadTrialAndResearch(trialId);
  const version = await store.task.loadTaskVersion(trial.taskHash);
  const task = Task.parse({
    ...version.task,
    evaluator: { ...version.task.evaluator, feedback: true },
    search: {
      ...version.task.search,
      context: { name: 'history', lineage: 10, inspirations: 3, memory: true, stuck: 1, saturation: 2 },
    },
  });
  const parentId = trial.parentId ?? research.baselineCandidate;
  return {
    deps: {
      store,
      pools: { hardware: () => Promise.resolve(['4 machines with 8 H100']), programs: () => Promise.resolve([]) },
      tasks: { shownFiles: () => ({}) },
    } as unknown as ActivityDeps,
    trial: { ...trial, parentId, kind: 'search' },
    version: { ...version, task },
    files: await parentFiles(store, { parentId, version }),
    signal: new AbortController().signal,
  };
}

async function measure(
  context: ProposeContext,
  { store, pid }: { store: Store; pid: number },
): Promise<Pick<Measured, 'sizes' | 'cpu'>> {
  const research = await store.research.findResearch(context.trial.researchId);
  if (research === undefined) throw new Error('Expected the research that was seeded');
  const build = () => chatPromptOf(context, { research, correction: null });
  const { sizes } = await build();
  const before = { node: process.cpuUsage(), postgres: cpuSeconds(pid) };
  for (let i = 0; i < PROMPTS; i += 1) await build();
  const used = process.cpuUsage(before.node);
  return {
    sizes,
    cpu: {
      node: (used.user + used.system) / 1000 / PROMPTS,
      postgres: ((cpuSeconds(pid) - before.postgres) * 1000) / PROMPTS,
    },
  };
}
