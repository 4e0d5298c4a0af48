import { plural } from '../domain/text/plural.ts';
import { formatValue, unitText } from '../domain/text/format.ts';
import type { FailureLabel, TrialKind, ShownVerdict, TrialStatus } from '../domain/trial.ts';
import type { Race } from './standing.ts';

/** The verdict of a trial that was up for one; else how it ended. */
export const describeEnd = (line: {
  status: TrialStatus;
  verdict: ShownVerdict;
  failure: FailureLabel | null;
}): string =>
  line.status === 'completed' && line.verdict !== 'none'
    ? line.verdict
    : (line.failure ?? line.status.replace('_', ' '));

/** The kind, with the search trial that it confirms. */
export const describeKind = (line: { kind: TrialKind; ofTrial: number | null }): string =>
  line.ofTrial === null ? line.kind : `${line.kind} #${line.ofTrial}`;

/** The value of one trial, `–` where it has none. */
export const describeScore = (line: { value: number | null; trusted: boolean | null }, unit?: string | null): string =>
  `${formatValue(line.value)}${line.value === null ? '' : unitText(unit)}${describeTrust(line)}`;

/** The mark of a score that the candidate could have written itself; empty for any other. */
export const describeTrust = ({ trusted }: { trusted: boolean | null }): string =>
  trusted === false ? ' untrusted' : '';

/** Runs of a race are ruled on together, so they have one line together. */
export const describeRace = ({ ofTrial, runs }: Race): string =>
  `racing ${ofTrial === null ? 'the unmodified version' : `#${ofTrial}`} against the best: ${plural(runs, 'run')} so far`;
