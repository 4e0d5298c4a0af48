import { plural } from '../../domain/text/plural.ts';
import { formatValue, unitText } from '../../domain/text/format.ts';
import type { FailureLabel, TrialKind, ShownVerdict, TrialStatus } from '../../domain/trial.ts';
import type { Race } from '../standing.ts';

/** Describes the end of a trial: its verdict, or its failure or status if it has none. */
export const describeEnd = (line: {
  status: TrialStatus;
  verdict: ShownVerdict;
  failure: FailureLabel | null;
}): string =>
  line.status === 'completed' && line.verdict !== 'none'
    ? line.verdict
    : (line.failure ?? line.status.replace('_', ' '));

/** Describes the kind of a trial, with the search trial that it confirms. */
export const describeKind = (line: { kind: TrialKind; ofTrial: number | null }): string =>
  line.ofTrial === null ? line.kind : `${line.kind} #${line.ofTrial}`;

/** Describes the value of a trial; `–` if it has none. */
export const describeScore = (line: { value: number | null; trusted: boolean | null }, unit?: string | null): string =>
  `${formatValue(line.value)}${line.value === null ? '' : unitText(unit)}${describeTrust(line)}`;

/** Why a score is untrusted, as a clause. `artefactCode`: an artefact that executes code when loaded, in words. */
export const describeDistrust = (artefactCode: string | null): string =>
  artefactCode === null
    ? 'the candidate could have written its own score'
    : `its artefact ${artefactCode} may execute code when the evaluator loads it, and so report any score`;

/** The mark of a score that the candidate could have written itself; empty for any other. */
export const describeTrust = ({ trusted }: { trusted: boolean | null }): string =>
  trusted === false ? ' untrusted' : '';

/** The mark of a candidate outside the search space that its task has now, with the knobs; empty for any other. */
export const describeOutside = ({ outside }: { outside?: readonly string[] }): string =>
  outside === undefined ? '' : ` outside the search space: ${outside.join(', ')}`;

/** Describes a race on one line: its runs are judged together. */
export function describeRace({ ofTrial, runs }: Race): string {
  const candidate = ofTrial === null ? 'the unmodified version' : `#${ofTrial}`;
  return `racing ${candidate} against the best: ${plural(runs, 'run')} so far`;
}
