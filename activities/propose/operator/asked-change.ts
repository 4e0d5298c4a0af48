import type { AskedChange } from '../../../domain/prompt/prompt-input.ts';
import { operatorOf } from '../../../domain/search/operator/table.ts';
import type { ProposeContext } from '../propose-context.ts';

/** The change that a trial's operator asks for, with what the prompt shows for it; undefined without an operator. */
export async function askedChange({ deps, trial, version }: ProposeContext): Promise<AskedChange | undefined> {
  if (trial.operator === null) return undefined;
  const { operator } = operatorOf(trial.operator);
  const { direction, name } = version.task.metric;
  const request = operator.request(`${direction === 'minimize' ? 'lowers' : 'raises'} ${name}`);
  const { researchId, parentId, secondParentId } = trial;
  if (secondParentId !== null && parentId !== null) {
    const pair = { candidateId: secondParentId, parentId };
    const [diffs, means, found] = await Promise.all([
      deps.store.trial.findDiffs([pair]),
      deps.store.trial.findCandidateMeans({ researchId, candidateIds: [secondParentId] }),
      deps.store.trial.findTrialOf({ researchId, candidateId: secondParentId }),
    ]);
    const value = means.get(secondParentId)?.mean ?? found?.value ?? null;
    return { request, secondParent: { n: found?.n ?? null, value, diff: diffs[0] ?? '' } };
  }
  if (operator.startsFrom !== 'crashed' || parentId === null) return { request };
  const crash = await deps.store.trial.findCrashOf({ researchId, candidateId: parentId });
  if (crash === undefined) return { request };
  const [row] = await deps.store.trial.findNumberedHistory({ researchId, ns: [crash.n] });
  const failure = { label: crash.failure, message: crash.failureMessage ?? '' };
  return { request, crash: { n: crash.n, failure, log: row?.log ?? null } };
}
