import { changeText, similarity } from '../../../domain/search/known/near.ts';
import { noveltyOf } from '../../../domain/search/novelty.ts';
import { operatorOf } from '../../../domain/search/operator/table.ts';
import { describeNear } from '../../../domain/prompt/describe-known-outcome.ts';
import type { ProposeContext } from '../propose-context.ts';
import { seenOf } from '../prompt/read-detailed-history.ts';

/** Latest candidates of the same parent that a change is compared with. */
const MOST = 64;

/**
 * A sentence on the trial whose change of the same parent is most like this one, with its result; null if none is as
 * similar as the search's threshold, or if the search has none. Changes of knobs alone are always much alike: they are
 * not compared.
 */
export async function nearBefore(
  { deps: { store }, trial, version, files: parent }: ProposeContext,
  files: Readonly<Record<string, string>>,
): Promise<string | null> {
  const threshold = noveltyOf(version.task.search.novelty).threshold;
  if (threshold === null) return null;
  if (trial.operator !== null && operatorOf(trial.operator).operator.changes === 'knobs') return null;
  const siblings = await store.trial.findSiblings({ trial, most: MOST });
  const loaded = await store.trial.loadCandidates(siblings);
  const change = changeText(parent, files);
  let nearest: { candidateId: string; similar: number } | null = null;
  for (const [index, candidateId] of siblings.entries()) {
    const similar = similarity(change, changeText(parent, loaded[index] ?? {}), nearest?.similar ?? threshold);
    if (similar !== null && similar > (nearest?.similar ?? 0)) nearest = { candidateId, similar };
  }
  if (nearest === null) return null;
  const seen = seenOf(await store.trial.findKnownCandidate({ trial, candidateId: nearest.candidateId }));
  return seen && describeNear(seen, { metric: version.task.metric.name, similar: nearest.similar });
}
