import { Search } from './schema.ts';
import { updatePlanOf } from './update/table.ts';

/** Runs of a candidate whose proposer learns from its value: a policy prefers what one lucky run overrates. */
const RUNS_TO_LEARN_FROM = 4;

type Stored = Partial<Pick<Search, 'rerun'>>;

/** Most runs of one candidate. A research that version 0.2 began lacks the setting: 1. */
export const runsOfCandidate = ({ rerun = 1 }: Stored): number => rerun;

/** The settings of a new research, with the default of `rerun` filled in. */
export const withRerun = (search: Search): Search =>
  Search.parse({ ...search, rerun: search.rerun ?? (updatePlanOf(search.update) === null ? 1 : RUNS_TO_LEARN_FROM) });

/** A run of a candidate, as far as it decides whether the candidate runs again. */
interface EarlierRun {
  failure: string | null;
}

/**
 * True if a candidate with these runs may run again. If a run was stopped early, the rule would stop the next one, too.
 */
export const mayRunAgain = (runs: readonly EarlierRun[], most: number): boolean =>
  runs.length < most && runs.every(({ failure }) => failure !== 'cannot-win');
