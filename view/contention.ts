import { oneLine } from '../domain/text/sanitize.ts';
import { plural } from '../domain/text/plural.ts';

/** Contended runs of a research in the last hour. */
export interface Contention {
  runs: number;
  /** The newest of them: its trial, its host, and its wait for a CPU in words. */
  newest: { trialId: string; host: string; words: string };
}

/** The machine that is at fault for contended runs, as a title. */
export const contentionTitle = ({ newest }: Contention): string => `Runs on ${newest.host} wait for a CPU`;

/** The extent of the contention, and its remedy. */
export function contentionReason({ runs, newest }: Contention): string {
  const placed = runs === 1 ? '1 run of the last hour is' : `${plural(runs, 'run')} of the last hour are`;
  return (
    `${placed} not counted. The newest: ${oneLine(newest.words)}. ` +
    'The candidates are not at fault: free cores, or use fewer slots'
  );
}
