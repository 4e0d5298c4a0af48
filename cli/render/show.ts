import { describeDistrust } from '../../view/trial/verdict.ts';
import { plural } from '../../domain/text/plural.ts';
import type { CallRow } from '../../db/reads/read-trial.ts';
import type { TrialWithCalls as ShownTrial } from '../../db/reads/trial/read-trial-details.ts';
import { decodeNumber } from '../../domain/json/number.ts';
import { renderCurve } from './show/curve.ts';
import { feedbackRows } from './show/feedback.ts';
import { renderPromptSizes } from './show/prompt-sizes.ts';
import { answerText, promptText } from './show/prompt-text.ts';
import { formatSeconds, formatUsd, formatValue, unitText } from '../../domain/text/format.ts';
import { describeAbortRecord } from '../../domain/abort/record.ts';
import { truncateMiddle, columns, pad, widthOf } from './text/text.ts';
import { sanitize, oneLine } from '../../domain/text/sanitize.ts';
import { describeRates } from '../../view/rows/rates.ts';
import { describeOwnSettings } from '../../view/rows/own-settings.ts';
import { describeLearnt, describeSample } from '../../view/policy/sample.ts';
import { curveMark, curveName, lastPlacement, type CurvePoint } from '../../view/trial/curve.ts';
import { forecastOf, type ForecastView } from '../../view/trial/forecast.ts';
import { describeAgent } from '../../view/trial/describe-agent.ts';
import { describeOperator } from '../../view/trial/describe-operator.ts';
import { describeComputeUsed } from '../../view/trial/cpu-seconds.ts';
import { describeWaiting } from '../../view/trial/waits-for.ts';
import {
  describeFailure,
  describeMachine,
  describeReuse,
  describeReward,
  describeVerdict,
} from '../../view/trial/describe-outcome.ts';

const TAIL_LINES = 15;
const BETTER = { minimize: 'lower', maximize: 'higher' } as const;

/** A trial with its curve. */
export interface TrialReport extends ShownTrial {
  /** Points of all placements, in the order of the placements. */
  points: (CurvePoint & { placement: number })[];
}

export interface ShowOptions {
  width: number;
  prompt?: boolean;
  answer?: boolean;
  log?: boolean;
}

/** `perpetua show` for people. */
export function renderShow(shown: TrialReport, options: ShowOptions): string[] {
  const { trial, calls, points, runs, task } = shown;
  const tail = runs[0]?.logTail;
  const last = lastPlacement(points);
  const mark = curveMark(last, { judged: runs[0]?.abort ?? null, task });
  const ofTrial = trial.ofTrial === null ? '' : ` of #${trial.ofTrial}`;
  const lines = [`${trial.id} · ${trial.kind}${ofTrial} · ${trial.status ?? 'under way'}`];
  lines.push(...columns([...proposalRows(shown), ...outcomeRows(shown)]).map((line) => `  ${line}`));
  if (points.length > 1) lines.push('', ...renderCurve(last, { width: options.width, name: curveName(task), mark }));
  lines.push(...forecastLines(shown, options));
  if (tail) lines.push('', 'output', ...tailLines(tail, options));
  lines.push(...calls.flatMap((call) => callLines(call, options)), ...callHint(shown, options));
  return lines;
}

/** A hint at the options that show model calls, or a note that the trial has no calls to show. */
function callHint({ trial, calls }: TrialReport, options: ShowOptions): string[] {
  const isRequested = options.prompt || options.answer;
  if (calls.length > 0) return isRequested ? [] : ['', 'see --prompt and --answer for the model calls'];
  if (!isRequested) return [];
  return ['', `no model was called${trial.proposer ? `: proposer ${oneLine(trial.proposer)}` : ''}`];
}

function proposalRows({ trial, overrides, sample, agent, memory }: TrialReport): string[][] {
  const rows: string[][] = [];
  if (trial.hypothesis) rows.push(['hypothesis', oneLine(trial.hypothesis)]);
  if (trial.expectedDelta !== null) rows.push(['expected', `a change of ${formatValue(trial.expectedDelta)}`]);
  const { proposer, proposerReason } = trial;
  if (proposer) rows.push(['proposer', oneLine(proposerReason ? `${proposer} (${proposerReason})` : proposer)]);
  if (trial.arm !== null && trial.arm !== proposer) rows.push(['arm', oneLine(trial.arm)]);
  const operator = describeOperator(trial);
  if (operator !== null) rows.push(['operator', oneLine(operator)]);
  if (sample !== null) rows.push(['policy', oneLine(describeSample(sample))]);
  if (agent !== null) rows.push(['agent', oneLine(describeAgent(agent))]);
  if (memory !== null) rows.push(['memory', `replaced, ${plural(memory.length, 'character')} (see --json)`]);
  const own = describeOwnSettings(overrides);
  if (own !== null) rows.push(['set', oneLine(own)]);
  if (trial.candidateId) {
    const from = trial.parentId ? `, from ${trial.parentId.slice(0, 12)}` : '';
    const reason = trial.parentReason ? ` (${trial.parentReason})` : '';
    rows.push(['candidate', `${trial.candidateId.slice(0, 12)}${from}${reason}`]);
  }
  if (trial.proposedId !== null)
    rows.push(['proposed as', `${trial.proposedId.slice(0, 12)}, which differs in comments and formatting`]);
  if (trial.staleness !== null)
    rows.push(['staleness', `${plural(trial.staleness, 'trial')} ended between its context and its start`]);
  return rows;
}

function outcomeRows(shown: TrialReport): string[][] {
  const { trial, runs, task } = shown;
  const { metric } = task;
  const waits = describeWaiting(shown);
  const rows = waits === null ? [] : [['waits', waits]];
  if (trial.value !== null)
    rows.push([
      oneLine(metric.name),
      `${formatValue(trial.value)}${unitText(metric.unit)} (${BETTER[metric.direction]} is better)`,
    ]);
  if (trial.reusedFrom !== null) rows.push(['measured by', describeReuse(trial.reusedFrom)]);
  for (const [name, value] of Object.entries(trial.metrics ?? {}))
    if (name !== metric.name) rows.push([oneLine(name), formatValue(decodeNumber(value))]);
  if (trial.verdict && trial.verdict !== 'none') rows.push(['verdict', describeVerdict(trial.verdict)]);
  if (trial.reason) rows.push(['reason', oneLine(trial.reason)]);
  if (trial.rewardReason !== null) rows.push(['reward', oneLine(describeReward(trial))]);
  const learnt = shown.sample && describeLearnt(shown.sample, trial.reward);
  if (learnt !== null) rows.push(['learnt by', oneLine(learnt)]);
  const judged = runs[0]?.abort;
  const failure = describeFailure(trial, judged ?? null);
  if (failure !== null) rows.push(['failure', failure]);
  if (judged) rows.push(['early abort', oneLine(describeAbortRecord(judged))]);
  if (trial.evaluatorNotes) rows.push(['evaluator', oneLine(trial.evaluatorNotes)]);
  if (trial.feedback) rows.push(...feedbackRows(trial.feedback));
  if (trial.trusted === false && trial.value !== null)
    rows.push(['trust', oneLine(`untrusted: ${describeDistrust(trial.artefactCode)}`)]);
  for (const { placement, host, shortage, contention } of runs) {
    const why = shortage ?? contention;
    if (why !== null) rows.push(['not counted', oneLine(`run ${placement} on ${host}: ${why}`)]);
  }
  const [run] = runs;
  const machine = run?.machine ? describeMachine(run.machine) : run?.hardware;
  if (run && machine) rows.push(['machine', oneLine(`${run.host}: ${machine}`)]);
  // A run that was lost after its end has no end time until a probe has removed its leftovers.
  if (run && trial.status === null && run.launchedAt && !run.endedAt && !run.end)
    rows.push(['runs', `on ${run.slotId} for ${formatSeconds((Date.now() - run.launchedAt.getTime()) / 1000)}`]);
  if (trial.seconds !== null)
    rows.push([
      'time',
      `${formatSeconds(trial.seconds)} on ${trial.slotId ?? runs[0]?.slotId ?? 'a slot'}, seed ${trial.seed}`,
    ]);
  const used = describeComputeUsed(run?.end, shown.compute);
  if (used !== null) rows.push(['compute', used]);
  if (shown.rates !== null) rows.push(['model', describeRates(shown.rates)]);
  return rows;
}

function forecastLines({ runs, task }: TrialReport, { width }: ShowOptions): string[] {
  const judged = runs[0]?.abort;
  return judged ? renderForecast(forecastOf(judged), { width, name: oneLine(task.metric.name) }) : [];
}

/**
 * Draws a rule's forecast on the axis of the metric, which may differ from the curve's quantity. `├──●──┤` is the
 * forecast with its 95 % interval, `┃` is the value to beat. Returns no lines if the rule made no forecast.
 */
export function renderForecast(
  { forecast, low, high, toBeat }: Pick<ForecastView, 'forecast' | 'low' | 'high' | 'toBeat'>,
  { width, name }: { width: number; name: string },
): string[] {
  if (forecast === null) return [];
  const values = [forecast, low, high, toBeat].filter((value) => value !== null);
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const minimum = formatValue(from);
  const cells = Math.max(8, Math.min(60, width - widthOf(minimum) - widthOf(formatValue(to)) - 6));
  const cellOf = (value: number): number =>
    to > from ? Math.round(((Math.min(Math.max(value, from), to) - from) / (to - from)) * (cells - 1)) : 0;
  const strip = new Array<string>(cells).fill(' ');
  const hasInterval = low !== null && high !== null;
  if (hasInterval) {
    strip.fill('─', cellOf(low), cellOf(high) + 1);
    strip[cellOf(low)] = '├';
    strip[cellOf(high)] = '┤';
  }
  strip[cellOf(forecast)] = '●';
  if (toBeat !== null) strip[cellOf(toBeat)] = '┃';
  const interval = hasInterval ? ' ├┤ its 95 % interval (no decision uses it)' : '';
  const beat = toBeat === null ? '' : `, ┃ ${formatValue(toBeat)} to beat`;
  return [
    `forecast of ${name}: ● ${formatValue(forecast)}${interval}${beat}`,
    `  ${minimum} ${pad(strip.join(''), cells)} ${formatValue(to)}`,
  ];
}

function tailLines(tail: string, options: ShowOptions): string[] {
  const lines = sanitize(tail).trimEnd().split('\n');
  const shown = options.log ? lines : lines.slice(-TAIL_LINES);
  const more = lines.length - shown.length;
  return [
    ...(more > 0 ? [`  (${more} lines before; --log shows them)`] : []),
    ...shown.map((line) => `  ${options.log ? line : truncateMiddle(line, options.width - 2)}`),
  ];
}

function callLines(call: CallRow, options: ShowOptions): string[] {
  if (!options.prompt && !options.answer) return [];
  const tokens = `${call.tokensIn ?? '?'} tokens in, ${call.tokensOut ?? '?'} out`;
  const cost = call.usd === null ? '' : `, ${formatUsd(call.usd)}`;
  const lines = [
    '',
    `call ${call.turn} · ${oneLine(call.model)} · ${tokens}${cost} · ${formatSeconds(call.latencySeconds)}`,
  ];
  if (options.prompt && call.promptSizes !== null) lines.push(...renderPromptSizes(call.promptSizes));
  if (options.prompt) lines.push(...block('prompt', promptText(call)));
  if (options.answer)
    lines.push(...block('answer', answerText(call) ?? `(none${call.error ? `: ${call.error}` : ''})`));
  return lines;
}

const block = (name: string, text: string): string[] => [`--- ${name}`, ...sanitize(text).split('\n')];
