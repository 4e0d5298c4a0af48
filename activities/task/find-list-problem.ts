import { pathText, type Problem, sentenceOf } from '../../domain/issue/problem.ts';
import { isListFile } from '../../domain/search/proposer/replay.ts';
import { listProblems, type NamedList, namedLists } from '../../domain/search/replay/list-problems.ts';
import type { Task } from '../../domain/task/task.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import type { ActivityDeps } from '../deps.ts';

/** Phases in which a research proposes nothing, so that its list of candidates does not change. */
const ENDED = ['stopped', 'failed'];

interface Replaying {
  researchId: string;
  task: Task;
  /** The task's folder; null: its files were checked before. */
  loaded: Pick<LoadedTask, 'workspace' | 'mutablePaths'> | null;
}

/**
 * The first problem of the lists that `replay` would read, with the key's path: a file that is missing or has a
 * candidate which the task cannot take, or a research that is missing, runs, or has another task. Null: none.
 */
export async function findListProblem(
  { store }: Pick<ActivityDeps, 'store'>,
  { researchId, task, loaded }: Replaying,
): Promise<string | null> {
  const [problem] = listProblems({ ...(loaded ?? { workspace: null, mutablePaths: [] }), task });
  if (problem !== undefined) return textOf(problem);
  for (const list of namedLists(task.search)) {
    if (isListFile(list.from ?? '')) continue;
    const why = await researchProblem(store, list, { researchId, task });
    if (why !== null) return `${pathText(list.path)}: ${why}`;
  }
  return null;
}

const textOf = (problem: Problem): string => `${pathText(problem.path)}: ${sentenceOf(problem)}`;

async function researchProblem(
  store: ActivityDeps['store'],
  { from = '', order }: NamedList,
  { researchId, task }: Pick<Replaying, 'researchId' | 'task'>,
): Promise<string | null> {
  const source = from === researchId ? undefined : await store.research.findResearch(from);
  if (source === undefined) {
    const got = from === researchId ? 'the research itself' : JSON.stringify(from);
    return `expected the id of another research, got ${got}; npx perpetua list shows them`;
  }
  const { name, metric } = (await store.task.loadTaskVersion(source.taskHash)).task;
  if (name !== task.name) return `expected a research on the task ${task.name}, got ${from}, which has ${name}`;
  if (order === 'best' && metric.direction !== task.metric.direction)
    return `expected a research whose metric has the same direction, got ${from}, which would ${metric.direction}`;
  if (!ENDED.includes(source.phase))
    return `expected a research that has ended, got ${from}, which is ${source.phase}; npx perpetua stop ${from}`;
  const best = order === 'best' ? task.metric.direction : null;
  const found = await store.trial.findReplayed({ researchId: from, best, most: 1 });
  if (found.length > 0) return null;
  return `expected a research with ${best === null ? 'proposals' : 'scored proposals'}, got ${from} without any`;
}
