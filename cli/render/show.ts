import { plural } from '../../domain/text/plural.ts';
import type { Task } from '../../domain/task/task.ts';
import type { CallRow, RunRow, TrialRow } from '../../db/reads/read-trial.ts';
import type { Queue } from '../../domain/view/wait.ts';
import { decodeNumber } from '../../domain/number.ts';
import { renderCurve } from './show/curve.ts';
import { renderForecast } from './show/forecast.ts';
import { formatSeconds, formatUsd, formatValue, percent, unitText } from '../../domain/text/format.ts';
import { describeTrialsWait } from '../../domain/view/wait.ts';
import { abortWords } from '../../domain/abort/record.ts';
import { shareOf } from '../../domain/abort/curve.ts';
import { curveBudget } from '../../domain/abort/settings.ts';
import { bothEnds, columns } from './text/text.ts';
import { clean, oneLine } from '../../domain/text/clean.ts';
import type { Overrides } from '../../domain/search/overrides.ts';
import type { ToldVerdict } from '../../domain/trial.ts';
import { describeOwnSettings } from '../../domain/view/rows/own-settings.ts';
import { describeLearnt, describeSample, type SampleView } from '../../domain/view/policy/sample.ts';
import type { Compute } from '../../domain/view/rows/compute.ts';
import { describeUsed } from './show/used.ts';
import { waitsFor } from './show/waits-for.ts';

const TAIL_LINES = 15;
const BETTER = { minimize: 'lower', maximize: 'higher' } as const;

export interface Shown {
  trial: TrialRow;
  /** Values of its research's own in place of the task's. */
  overrides: Overrides;
  runs: RunRow[];
  /** The version that the trial is of. */
  task: Task;
  /** What it waits for while it is ready and has no slot; null where it does not. */
  queue: Queue | null;
  /** Of a policy, from which its proposal was read; null where it was not. */
  sample: SampleView | null;
  /** Compute of its candidate's scored runs in times of the baseline's; null where either is not known. */
  compute: Compute | null;
  /** Why the model endpoint of its research does not answer; null where it does, or none is asked. */
  endpointDown: string | null;
  calls: CallRow[];
  points: { placement: number; step: number; elapsed: number; value: number; share: number | null }[];
}

export interface ShowOptions {
  width: number;
  prompt?: boolean;
  answer?: boolean;
  log?: boolean;
}

/** `perpetua show` for people. */
export function renderShow(shown: Shown, options: ShowOptions): string[] {
  const { trial, calls, points, runs } = shown;
  const tail = runs[0]?.logTail;
  return [
    `${trial.id} · ${trial.kind}${trial.ofTrial === null ? '' : ` of #${trial.ofTrial}`} · ${trial.status ?? 'under way'}`,
    ...columns([...proposalRows(shown), ...outcomeRows(shown)]).map((line) => `  ${line}`),
    ...(points.length > 1
      ? [
          '',
          ...renderCurve(lastPlacement(points), { width: options.width, name: curveName(shown), mark: markOf(shown) }),
        ]
      : []),
    ...forecastLines(shown, options),
    ...(tail ? ['', 'output', ...tailLines(tail, options)] : []),
    ...calls.flatMap((call) => callLines(call, options)),
    ...callHint(shown, options),
  ];
}

/** That there is more to see of the model's calls, or nothing where it was asked for. */
function callHint({ trial, calls }: Shown, options: ShowOptions): string[] {
  const asked = options.prompt || options.answer;
  if (calls.length > 0) return asked ? [] : ['', 'see --prompt and --answer for the model calls'];
  return asked ? ['', `no model was asked${trial.proposer ? `: proposer ${oneLine(trial.proposer)}` : ''}`] : [];
}

function proposalRows({ trial, overrides, sample }: Shown): string[][] {
  const rows: string[][] = [];
  if (trial.hypothesis) rows.push(['hypothesis', oneLine(trial.hypothesis)]);
  if (trial.expectedDelta !== null) rows.push(['expected', `a change of ${formatValue(trial.expectedDelta)}`]);
  if (trial.proposer) rows.push(['proposer', oneLine(trial.proposer)]);
  if (sample !== null) rows.push(['policy', oneLine(describeSample(sample))]);
  const own = describeOwnSettings(overrides);
  if (own !== null) rows.push(['set', oneLine(own)]);
  if (trial.candidateId)
    rows.push([
      'candidate',
      `${trial.candidateId.slice(0, 12)}${trial.parentId ? `, from ${trial.parentId.slice(0, 12)}` : ''}${trial.parentReason ? ` (${trial.parentReason})` : ''}`,
    ]);
  if (trial.staleness !== null)
    rows.push(['staleness', `${plural(trial.staleness, 'trial')} ended between its context and its start`]);
  return rows;
}

function waitRows(shown: Shown): string[][] {
  const what = waitsFor(shown);
  if (what !== null) return [['waits', `for ${oneLine(what)}`]];
  return shown.queue === null ? [] : [['waits', describeTrialsWait(shown.queue)]];
}

const verdictWords = (verdict: ToldVerdict): string =>
  verdict === 'absorbed' ? 'absorbed: no claim of its own; its edit is in the lead' : verdict;

function outcomeRows(shown: Shown): string[][] {
  const { trial, runs, task } = shown;
  const { metric } = task;
  const rows = waitRows(shown);
  if (trial.value !== null)
    rows.push([
      oneLine(metric.name),
      `${formatValue(trial.value)}${unitText(metric.unit)} (${BETTER[metric.direction]} is better)`,
    ]);
  for (const [name, value] of Object.entries(trial.metrics ?? {}))
    if (name !== metric.name) rows.push([oneLine(name), formatValue(decodeNumber(value))]);
  if (trial.verdict && trial.verdict !== 'none') rows.push(['verdict', verdictWords(trial.verdict)]);
  if (trial.reason) rows.push(['reason', oneLine(trial.reason)]);
  if (trial.rewardReason !== null) rows.push(['reward', oneLine(rewardWords(trial))]);
  const learnt = shown.sample && describeLearnt(shown.sample, trial.reward);
  if (learnt !== null) rows.push(['learnt by', oneLine(learnt)]);
  const judged = runs[0]?.abort;
  // A run that was stopped early has not failed: the next line says why.
  if (trial.failure && !(judged && trial.failure === 'cannot-win'))
    rows.push(['failure', `${trial.failure}: ${oneLine(trial.failureMessage ?? '')}`]);
  if (judged) rows.push(['early abort', oneLine(abortWords(judged))]);
  if (trial.evaluatorNotes) rows.push(['evaluator', oneLine(trial.evaluatorNotes)]);
  if (trial.trusted === false && trial.value !== null)
    rows.push(['trust', 'untrusted: the candidate could have written its own score']);
  for (const { placement, host, shortage } of runs)
    if (shortage !== null) rows.push(['not counted', oneLine(`run ${placement} on ${host}: ${shortage}`)]);
  const [run] = runs;
  if (run?.machine) rows.push(['machine', oneLine(`${run.host}: ${machineWords(run.machine)}`)]);
  // One that was lost when it had ended is open until a look has ended what is left of it.
  if (run && trial.status === null && run.launchedAt && !run.endedAt && !run.end)
    rows.push(['runs', `on ${run.slotId} for ${formatSeconds((Date.now() - run.launchedAt.getTime()) / 1000)}`]);
  if (trial.seconds !== null)
    rows.push([
      'time',
      `${formatSeconds(trial.seconds)} on ${trial.slotId ?? runs[0]?.slotId ?? 'a slot'}, seed ${trial.seed}`,
    ]);
  const used = describeUsed(run?.end, shown.compute);
  if (used !== null) rows.push(['compute', used]);
  return rows;
}

function rewardWords({ reward, rewardParts, rewardReason }: TrialRow): string {
  const parts = Object.entries(rewardParts ?? {}).map(([name, part]) => `${name} ${formatValue(part)}`);
  return `${reward === null ? 'none' : formatValue(reward)}: ${[rewardReason, ...parts].join(' · ')}`;
}

const machineWords = ({ cores, memoryMb, gpus }: NonNullable<Shown['runs'][number]['machine']>): string =>
  [...gpus.map(({ name }) => name), `${cores} cores`, `${Math.round(memoryMb / 1024)} GiB of memory`].join(', ');

const curveName = ({ task }: Shown): string => oneLine(task.progress?.value ?? 'value');

/** Where in the curve the rule wanted to stop the run, if it did. */
function markOf({ runs, points, task }: Shown): { step: number; label: string } | null {
  const judged = runs[0]?.abort;
  const budget = curveBudget(task);
  if (!judged?.abort || judged.share === null || budget === null) return null;
  const share = judged.share;
  const at = lastPlacement(points).findLast((point) => shareOf(point, budget) <= share);
  return at
    ? { step: at.step, label: `${judged.audited ? 'would have stopped' : 'stopped'} at ${percent(share)}` }
    : null;
}

function forecastLines({ runs, task }: Shown, { width }: ShowOptions): string[] {
  const judged = runs[0]?.abort;
  return judged ? renderForecast(judged, { width, name: oneLine(task.metric.name) }) : [];
}

function lastPlacement(points: Shown['points']): Shown['points'] {
  const last = points.at(-1)?.placement;
  return points.filter((point) => point.placement === last);
}

function tailLines(tail: string, options: ShowOptions): string[] {
  const lines = clean(tail).trimEnd().split('\n');
  const shown = options.log ? lines : lines.slice(-TAIL_LINES);
  const more = lines.length - shown.length;
  return [
    ...(more > 0 ? [`  (${more} lines before; --log shows them)`] : []),
    ...shown.map((line) => `  ${options.log ? line : bothEnds(line, options.width - 2)}`),
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
  if (options.prompt) lines.push(...block('prompt', promptText(call.request)));
  if (options.answer) lines.push(...block('answer', call.answer ?? `(none${call.error ? `: ${call.error}` : ''})`));
  return lines;
}

const block = (name: string, text: string): string[] => [`--- ${name}`, ...clean(text).split('\n')];

/** Messages with their roles where the request has them; else the request as it was stored. */
function promptText(request: unknown): string {
  const messages = (request as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return JSON.stringify(request, null, 2);
  return (messages as { role?: unknown; content?: unknown }[])
    .map(
      ({ role, content }) =>
        `[${String(role)}]\n${typeof content === 'string' ? content : JSON.stringify(content, null, 2)}`,
    )
    .join('\n\n');
}
