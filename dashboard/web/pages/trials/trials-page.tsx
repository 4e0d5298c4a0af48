import { useAddress } from '../../router.ts';
import { Candidates } from './candidates/candidates.tsx';
import { showsRuns } from './candidates/candidates-view.ts';
import { Trials } from './trials.tsx';

/** Page of a research's trials: its candidates with their runs folded in, or each run. */
export function TrialsPage({ at }: { at: Record<string, string> }) {
  return showsRuns(useAddress().params) ? <Trials at={at} /> : <Candidates at={at} />;
}
