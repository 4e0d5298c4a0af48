import {
  formatCount,
  formatResult,
  formatSeconds,
  formatSigned,
  formatUsd,
  percent,
  unitText,
} from '../../domain/text/format.ts';
import { oneLine, sanitize } from '../../domain/text/sanitize.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { plural } from '../../domain/text/plural.ts';
import { describeArm } from '../rows/arms.ts';
import { describeBest } from '../rows/best.ts';
import { describeGain } from '../rows.ts';
import { describeTrust } from '../trial/verdict.ts';
import type { Calibration, ReportedClaim, ReportedFailure, ResearchReport, UnclaimedIdea } from './report.ts';

/** A part of a report: a title with lines, and blocks of code under a line. */
export interface ReportSection {
  title: string;
  items: { text: string; code?: string }[];
}

/** The report of a research, as sections in the order in which people read them. */
export function reportSections(report: ResearchReport): ReportSection[] {
  const sd = report.status.baseline?.sd ?? null;
  const sections: ReportSection[] = [
    { title: 'Needs you', items: report.needsYou.map(({ title, why, commands }) => needItem(title, why, commands)) },
    { title: 'Where it stands', items: standing(report, sd) },
    { title: 'New claims', items: report.claims.map((claim) => claimItem(report, claim, sd)) },
    { title: 'Better, but not claimed', items: report.unclaimed.map((idea) => ideaItem(report, idea, sd)) },
    { title: 'What failed', items: report.failures.map((failure) => failureItem(report, failure)) },
    { title: 'Cost', items: cost(report) },
    { title: 'Arms', items: (report.arms ?? []).map((arm) => ({ text: describeArm(arm) })) },
    { title: 'Expected changes', items: report.calibration.map((one) => calibrationItem(one, sd)) },
    { title: 'What comes next', items: report.next.map((text) => ({ text })) },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

const needItem = (title: string, why: string | null, commands: readonly string[]) => ({
  text: why === null ? title : `${title}: ${oneLine(why)}`,
  ...(commands.length === 0 ? {} : { code: commands.join('\n') }),
});

function standing({ status, ended, luck, stops }: ResearchReport, sd: number | null): ReportSection['items'] {
  const { phase, reason, gain } = status;
  const total = Object.values(ended).reduce((sum, count) => sum + count, 0);
  const kinds = Object.entries(ended).map(([name, count]) => `${formatCount(count)} ${name}`);
  const items = [
    { text: `It is ${phase}${reason === null ? '' : `: ${oneLine(reason)}`}` },
    { text: `${plural(total, 'trial')} ended${total === 0 ? '' : `: ${kinds.join(', ')}`}` },
    { text: `best ${describeBest(status)}` },
    { text: `gain ${describeGain(gain, sd)}` },
  ];
  if (stops !== null)
    items.push({
      text:
        `It stood still ${plural(stops.count, 'time')}, for ${formatSeconds(stops.seconds)} in all. ` +
        `The longest time: ${truncateLine(oneLine(stops.reason), MOST.characters)}`,
    });
  if (luck.margin !== null && luck.margin > 0)
    items.push({
      text:
        `By noise alone, the best of ${formatCount(luck.candidates)} equal candidates would look better by ` +
        `${formatResult(luck.margin, sd)}`,
    });
  return items;
}

function claimItem({ id, status }: ResearchReport, claim: ReportedClaim, sd: number | null) {
  const { value, low, high, runs, gain, ofTrial, at, hypothesis, reason, by } = claim;
  const interval =
    low === null || high === null ? '' : ` (95 %: ${formatResult(low, sd)} to ${formatResult(high, sd)})`;
  const change = gain === null ? '' : `, ${formatSigned(gain, sd)} over the claim before`;
  const trial = ofTrial === null ? 'the unmodified version' : `${id}/${ofTrial}`;
  const idea = hypothesis === null ? '' : `. Idea: ${truncateLine(oneLine(hypothesis), MOST.characters)}`;
  const who = by === 'gate' ? '' : ` (${oneLine(by)})`;
  const text =
    `${trial}: ${formatResult(value, sd)}${unitText(status.unit)}${interval}, ${plural(runs, 'run')}${change}, ` +
    `at ${at.slice(0, 16)}Z. ${oneLine(reason)}${who}${idea}`;
  return claim.diff === '' ? { text } : { text, code: shortDiff(claim.diff, trial) };
}

/** Most lines of a diff, and characters of a line. */
const MOST = { lines: 60, characters: 160 };

/** The begin of a diff, without control characters. */
function shortDiff(diff: string, trial: string): string {
  const lines = sanitize(diff).trimEnd().split('\n');
  const shown = lines.slice(0, MOST.lines).map((line) => truncateLine(line, MOST.characters));
  if (lines.length > MOST.lines)
    shown.push(`… ${lines.length - MOST.lines} more lines: npx perpetua diff ${shellWord(trial)} --against-baseline`);
  return shown.join('\n');
}

const truncateLine = (line: string, most: number): string =>
  line.length <= most ? line : `${line.slice(0, most - 1)}…`;

function ideaItem({ id, status }: ResearchReport, idea: UnclaimedIdea, sd: number | null) {
  const { n, value, runs, gain, hypothesis } = idea;
  const marks = describeTrust(idea);
  const words = hypothesis === null ? '' : `. Idea: ${truncateLine(oneLine(hypothesis), MOST.characters)}`;
  return {
    text:
      `${id}/${n}: ${formatResult(value, sd)}${unitText(status.unit)}${marks} (${plural(runs, 'run')}), ` +
      `${formatSigned(gain, sd)} against the best; not confirmed${words}`,
  };
}

const FAULTS = {
  candidate: 'the candidates',
  task: 'the task',
  machine: 'a machine',
  model: 'the model',
  person: 'a person',
} as const;

function failureItem({ id }: ResearchReport, failure: ReportedFailure) {
  const { label, count, first, last, share, example, fault } = failure;
  const period = count === 1 ? `at ${first.slice(0, 16)}Z` : `from ${first.slice(0, 16)}Z to ${last.slice(0, 16)}Z`;
  const message = example.message === null ? '' : `: ${oneLine(example.message)}`;
  return {
    text:
      `${label}: ${plural(count, 'trial')}, ${percent(share)} of the time on slots, ${period}; ` +
      `caused by ${FAULTS[fault]}. The last, ${id}/${example.n}${message}`,
  };
}

function cost({ spend, slotShare, forecast }: ResearchReport): ReportSection['items'] {
  const parts = [`${spend.hours.toFixed(1)} hours under way`, `${formatSeconds(spend.slotSeconds)} on slots`];
  if (spend.tokens > 0) parts.push(`${formatCount(spend.tokens)} tokens`);
  if (spend.usd > 0) parts.push(formatUsd(spend.usd));
  if (spend.unpriced > 0) parts.push(`${plural(spend.unpriced, 'answer')} of unknown cost`);
  if (slotShare !== null) parts.push(`${percent(slotShare)} of the time of the pool's slots used`);
  const items = [{ text: parts.join(', ') }];
  if (forecast !== null) items.push({ text: forecast });
  return items;
}

function calibrationItem({ proposer, candidates, rightDirection, expected, actual }: Calibration, sd: number | null) {
  return {
    text:
      `${proposer}: ${plural(candidates, 'candidate')} with an expected change, ` +
      `${percent(rightDirection)} in the right direction; ` +
      `expected ${formatSigned(expected, sd)} on average, measured ${formatSigned(actual, sd)}`,
  };
}
