import { plural } from '../../domain/text/plural.ts';
import { hasEnded } from '../phase.ts';
import { reportSections } from './report-sections.ts';
import type { ResearchReport } from './report.ts';

/** Most lines of a daily report. */
export const DIGEST_LINES = 10;
/** Most claims of one research that it lists. */
const MOST_CLAIMS = 3;

/**
 * The daily report: what the report of each research says, in at most {@link DIGEST_LINES} lines in all. Its numbers
 * are those of `reportSections`. `hours`: length of the period.
 */
export function digestLines(reports: readonly ResearchReport[], hours: number): string[] {
  if (reports.length === 0) return ['no research is under way, and none has ended since'];
  const inOrder = [...reports].sort((a, b) => loudness(b) - loudness(a));
  const shown = inOrder.slice(0, inOrder.length > DIGEST_LINES ? DIGEST_LINES - 1 : DIGEST_LINES);
  const each = Math.floor(DIGEST_LINES / inOrder.length) || 1;
  const lines = shown.flatMap((report) =>
    linesOf(report)
      .slice(0, each)
      .map((line, index) => (index === 0 || reports.length === 1 ? line : `${report.id}: ${line}`)),
  );
  const left = inOrder.length - shown.length;
  if (left > 0) lines.push(`and ${left} more researches: npx perpetua report --since ${hours}h`);
  return lines;
}

/** Order of researches: those that need a person first, then those with claims. */
const loudness = ({ needsYou, claims, status }: ResearchReport): number =>
  (needsYou.length > 0 ? 4 : 0) + (claims.length > 0 ? 2 : 0) + (hasEnded(status.phase) ? 0 : 1);

/** Lines about one research, the most important first. */
function linesOf(report: ResearchReport): string[] {
  const sections = reportSections(report);
  const textsOf = (title: string): string[] =>
    (sections.find((section) => section.title === title)?.items ?? []).map(({ text }) => text);
  const [phase = '', ended = '', best = '', gain = ''] = textsOf('Where it stands');
  const { id, claims, needsYou } = report;
  const listed = textsOf('New claims').reverse().slice(0, MOST_CLAIMS);
  const [spend = '', forecast] = textsOf('Cost');
  const [failure, ...otherFailures] = textsOf('What failed');
  const moreFailures = otherFailures.length === 0 ? '' : ` (and ${plural(otherFailures.length, 'other label')})`;
  const [idea] = textsOf('Better, but not claimed');
  const [next] = textsOf('What comes next');
  return [
    `${id}: ${best}; ${plural(claims.length, 'new claim')}. ${ended}. ${phase}`,
    ...(needsYou.length === 0 ? [] : [`Needs you: ${needsYou.map(({ title }) => title).join('; ')}`]),
    gain,
    ...listed.map((claim) => `Claim ${claim}`),
    `Cost: ${spend}${forecast === undefined ? '' : `. ${forecast}`}`,
    ...(failure === undefined ? [] : [`Failed: ${failure}${moreFailures}`]),
    ...(idea === undefined ? [] : [`Not claimed: ${idea}`]),
    ...(next === undefined ? [] : [`Next: ${next}`]),
  ];
}
