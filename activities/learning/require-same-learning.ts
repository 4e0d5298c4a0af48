import type { Research } from '../../db/research/research.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { planIn } from '../../domain/search/update/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Statements } from '../deps.ts';
import { refuse } from '../task/require-runnable.ts';

/** Refuses a change of task that would tear a policy's batches apart, or learn with other weights than it has. */
export async function requireSameLearning(
  store: Statements<'learning', 'countRollouts'>['store'],
  { research, before, after }: { research: Research; before: Task; after: Task },
): Promise<void> {
  const [was, is] = [learningIn(before), learningIn(after)];
  const key = Object.keys({ ...was, ...is }).find((one) => JSON.stringify(was[one]) !== JSON.stringify(is[one]));
  if (key === undefined || (await store.learning.countRollouts(research.id)) === 0) return;
  throw refuse(
    `${key}: expected ${JSON.stringify(was[key] ?? null)}, with which research ${research.id} has drawn samples, came ${JSON.stringify(is[key] ?? null)}; start the changed task under another workflow id`,
    'BadTask',
  );
}

/** Settings that samples and versions of a policy depend on, by their paths. */
function learningIn({ search }: Task): Record<string, unknown> {
  const plan = planIn(search);
  if (plan === null) return {};
  const { batch, group, adapter } = plan;
  const base = factsOf(search.proposer).learners[0]?.settings['base'];
  return {
    ...{ 'search.update.batch': batch, 'search.update.group': group, 'search.update.adapter': adapter },
    'search.proposer.base': base,
  };
}
