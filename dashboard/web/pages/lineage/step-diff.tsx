import type { Diff } from '../../../api/trials/diff.ts';
import { ofTrial, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { DiffView } from '../../parts/diff/diff-view.tsx';
import { Empty } from '../../parts/empty.tsx';

/** What a candidate differs in from the unmodified version. */
export function StepDiff({ trialId }: { trialId: string }) {
  const { data, error } = useResource<Diff>(withQuery(ofTrial(trialId, 'diff'), { against: 'baseline' }), NEVER);
  if (!data) return <Empty>{error ? error.message : 'Reading the changes'}</Empty>;
  return <DiffView diff={data} split={false} />;
}

/** The files of a candidate never change. */
const NEVER = { research: '' };
