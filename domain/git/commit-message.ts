import { oneLine } from '../text/sanitize.ts';
import { formatResult, formatSigned, unitText } from '../text/format.ts';
import { plural } from '../text/plural.ts';

/** A claim, as a commit message describes it. Seq 0 is the unmodified version, before the first claim. */
export interface ClaimCommit {
  researchId: string;
  task: string;
  seq: number;
  candidateId: string;
  /** The trial that the claim confirms; null for the unmodified version. */
  trialId: string | null;
  hypothesis: string | null;
  reason: string | null;
  by: string;
  metric: { name: string; direction: 'minimize' | 'maximize'; unit: string | null };
  /** Null if no run has measured it, or if the runs used a metric other than the current one. */
  value: { mean: number; sd: number | null; n: number } | null;
  /** Mean of the unmodified version; null if it was not measured. */
  baseline: number | null;
}

const LONGEST_SUBJECT = 72;

/** The commit message of a claim: hypothesis, numbers and reason, then the trailers that `parseClaim` reads. */
export function commitMessage(claimed: ClaimCommit): string {
  const { researchId, seq, trialId, candidateId, reason, by } = claimed;
  const body = numbers(claimed);
  if (reason !== null) body.push(`Why: ${oneLine(reason)}${by === 'gate' ? '' : ` (by ${oneLine(by)})`}`);
  const trailers = [`Perpetua-Research: ${researchId}`, `Perpetua-Claim: ${seq}`];
  if (trialId !== null) trailers.push(`Perpetua-Trial: ${trialId}`);
  trailers.push(`Perpetua-Candidate: ${candidateId}`);
  const paragraphs = [subjectOf(claimed)];
  if (body.length > 0) paragraphs.push(body.join('\n'));
  paragraphs.push(trailers.join('\n'));
  return `${paragraphs.join('\n\n')}\n`;
}

function subjectOf({ seq, task, trialId, hypothesis }: ClaimCommit): string {
  if (seq === 0) return `The unmodified version of ${task}`;
  if (trialId === null) return `Back to the unmodified version of ${task}`;
  const text = oneLine(hypothesis ?? '') || `Claim ${seq}, of trial ${trialId}`;
  return text.length <= LONGEST_SUBJECT ? text : `${text.slice(0, LONGEST_SUBJECT - 1)}…`;
}

function numbers({ value, metric, baseline, hypothesis }: ClaimCommit): string[] {
  const fullHypothesis = oneLine(hypothesis ?? '');
  const lines = fullHypothesis.length > LONGEST_SUBJECT ? [fullHypothesis, ''] : [];
  if (value === null) return lines;
  const gain = baseline === null ? '' : gainText({ baseline, value, direction: metric.direction });
  const sd = value.sd === null ? '' : `, sd of one run ${formatResult(value.sd)}`;
  lines.push(
    `${oneLine(metric.name)} ${formatResult(value.mean, value.sd)}${unitText(metric.unit)}${gain}`,
    `Measured by ${plural(value.n, 'run')}${sd}.`,
  );
  return lines;
}

interface Compared {
  baseline: number;
  value: NonNullable<ClaimCommit['value']>;
  direction: ClaimCommit['metric']['direction'];
}

function gainText({ baseline, value: { mean, sd }, direction }: Compared): string {
  const gain = direction === 'minimize' ? baseline - mean : mean - baseline;
  if (gain === 0) return '';
  return `, a gain of ${formatSigned(gain, sd)} over the unmodified version (${formatResult(baseline, sd)})`;
}

/**
 * The claim that a commit message records; null if the message records none. Reads only the last paragraph: a
 * hypothesis above it may look like a trailer.
 */
export function parseClaim(message: string): { researchId: string; seq: number } | null {
  const trailers = message.trimEnd().split('\n\n').at(-1) ?? '';
  const researchId = /^Perpetua-Research: (.+)$/m.exec(trailers)?.[1];
  const seq = /^Perpetua-Claim: (\d+)$/m.exec(trailers)?.[1];
  return researchId === undefined || seq === undefined ? null : { researchId, seq: Number(seq) };
}
