import type { TrialView } from '../../db/reads/read-trial.ts';
import type { Protections } from '../../infra/compute.ts';
import { describeLimits } from '../check/describe-limits.ts';
import type { HostProtections } from '../check/protections.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { toLogLine } from '../../db/reads/read-log.ts';
import { decodeNumber } from '../../domain/json/number.ts';
import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import { formatSeconds, formatValue, unitText } from '../../domain/text/format.ts';
import {
  describeEvaluatorLimits,
  describeEvaluatorSpend,
  type EvaluatorSpend,
} from '../../view/trial/evaluator-model.ts';
import { describeDistrust } from '../../view/trial/verdict.ts';
import { columns, truncate } from './text/text.ts';
import { sanitize, oneLine } from '../../domain/text/sanitize.ts';

const TAIL_LINES = 15;

export interface CheckReport {
  loaded: LoadedTask;
  view: TrialView;
  protections: HostProtections;
  /** Spend of the evaluator's model calls; null if it may make none. */
  evaluatorSpend?: EvaluatorSpend | null;
}

/** A valid task in a few lines. `runs`: the command runs it, too. */
export function describeTask({ task, hash, mutablePaths, workspace }: LoadedTask, runs: boolean): string[] {
  const { metric, run, evaluator } = task;
  const llm = evaluatorLlmOf(evaluator);
  const source = metric.from === 'stdout' ? 'stdout' : `its ${evaluator.type} evaluator`;
  return [
    `The files of ${task.name} are valid (${hash.slice(0, 12)})${runs ? '' : '; the task has not been run'}`,
    ...columns([
      ['metric', `${metric.name}, ${metric.direction}, from ${source}`],
      ['files', `${workspace.length}, of which mutable: ${mutablePaths.join(', ')}`],
      ['run', `${truncate(oneLine(run.command), 60)}, ${run.budget.seconds} s of ${run.budget.kind} time`],
      ...(llm === null ? [] : [['evaluator', describeEvaluatorLimits(llm)]]),
    ]).map((line) => `  ${line}`),
  ];
}

/** Result of the run for people: metric, seconds, protections and, if the run failed, its last lines. */
export function renderCheckReport({ loaded, view, protections, evaluatorSpend }: CheckReport): string[] {
  const { trial, runs } = view;
  const { metric } = loaded.task;
  const rows = [[metric.name, trial.value === null ? '–' : `${formatValue(trial.value)}${unitText(metric.unit)}`]];
  for (const [name, value] of Object.entries(trial.metrics ?? {}))
    if (name !== metric.name) rows.push([oneLine(name), formatValue(decodeNumber(value))]);
  rows.push(['seconds', formatSeconds(trial.seconds)]);
  if (trial.value !== null)
    rows.push(['trusted', trial.trusted ? 'yes' : oneLine(`no: ${describeDistrust(trial.artefactCode)}`)]);
  if (evaluatorSpend) rows.push(['evaluator', describeEvaluatorSpend(evaluatorSpend)]);
  const failed = trial.status !== 'completed';
  // The evaluator's notes explain a failure of the evaluator; the run's output explains any other failure.
  const [source, tail] = trial.evaluatorNotes ? ['evaluator', trial.evaluatorNotes] : ['run', runs[0]?.logTail];
  const tailLines = failed && tail ? ['', `last output of the ${source}:`, ...lastLines(tail)] : [];
  return [
    `the unmodified workspace ${failed ? `ended as ${trial.failure ?? trial.status ?? 'nothing'}` : 'ran'}`,
    ...columns([...rows, ...hostRows(protections)]).map((line) => `  ${line}`),
    ...(protections.protections?.notes ?? []).map((text) => `  note: ${oneLine(text)}`),
    ...tailLines,
  ];
}

const lastLines = (text: string): string[] => sanitize(text).trimEnd().split('\n').slice(-TAIL_LINES);

/** The first row names the machine: a run may have been on a host of the fleet. */
function hostRows({ machine, protections, unknownReason }: HostProtections): string[][] {
  if (!protections) return [['protections', `of ${machine}: ${oneLine(unknownReason ?? 'not known')}`]];
  return [['protections', `of ${machine}:`], ...protectionRows(protections)];
}

function protectionRows(protections: Protections): string[][] {
  const { containment } = protections;
  const survivors =
    containment === 'pid-namespace'
      ? 'no process of a run survives it'
      : 'best effort: a run can leave processes behind';
  return [
    ['exposure', protections.exposure],
    ['containment', `${containment} (${survivors})`],
    ['sandbox', protections.sandboxed ? 'yes' : 'no'],
    ['network', protections.network ? 'cut off from the run' : 'open to the run'],
    ['files', fileAccessText(protections)],
    ['processes', protections.processes ? 'a run sees only its own' : 'a run sees the others'],
    ['user', protections.uid ? 'its own' : 'the same as the worker'],
    ['limits', describeLimits(protections)],
  ];
}

function fileAccessText({ filesystem, uid }: Protections): string {
  if (filesystem) return 'a run writes only its directory and reads nothing private';
  return uid ? 'a run reads and writes what every user may' : 'a run reads and writes what this user can';
}

/** `perpetua check --json`. */
export const checkReportJson = ({ loaded, view, protections, evaluatorSpend = null }: CheckReport) => ({
  task: loaded.task.name,
  hash: loaded.hash,
  valid: true,
  trial: toLogLine({ ...view.trial, policyVersion: null, update: null }, view.trial.status),
  logTail: view.runs[0]?.logTail ?? null,
  evaluatorNotes: view.trial.evaluatorNotes,
  evaluatorSpend,
  protections: protections.protections,
  protectionsOf: { host: protections.host, unknown: protections.unknownReason },
});
