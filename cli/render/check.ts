import type { TrialView } from '../../db/reads/read-trial.ts';
import type { Protections } from '../../infra/compute.ts';
import type { HostProtections } from '../check/protections.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { toLogLine } from '../../db/reads/read-log.ts';
import { decodeNumber } from '../../domain/json/number.ts';
import { formatSeconds, formatValue, unitText } from '../../domain/text/format.ts';
import { columns, truncate } from './text/text.ts';
import { sanitize, oneLine } from '../../domain/text/sanitize.ts';

export interface CheckReport {
  loaded: LoadedTask;
  view: TrialView;
  protections: HostProtections;
}

/** A valid task in a few lines. */
export function describeTask({ task, hash, mutablePaths, workspace }: LoadedTask): string[] {
  const { metric, run, evaluator } = task;
  return [
    `${task.name} is a valid task (${hash.slice(0, 12)})`,
    ...columns([
      [
        'metric',
        `${metric.name}, ${metric.direction}, from ${metric.from === 'stdout' ? 'stdout' : `its ${evaluator.type} evaluator`}`,
      ],
      ['files', `${workspace.length}, of which mutable: ${mutablePaths.join(', ')}`],
      ['run', `${truncate(oneLine(run.command), 60)}, ${run.budget.seconds} s of ${run.budget.kind} time`],
    ]).map((line) => `  ${line}`),
  ];
}

/** What the run gave: metric, seconds, protections. */
export function renderCheckReport({ loaded, view, protections }: CheckReport): string[] {
  const { trial, runs } = view;
  const { metric } = loaded.task;
  const rows = [[metric.name, trial.value === null ? '–' : `${formatValue(trial.value)}${unitText(metric.unit)}`]];
  for (const [name, value] of Object.entries(trial.metrics ?? {}))
    if (name !== metric.name) rows.push([oneLine(name), formatValue(decodeNumber(value))]);
  rows.push(['seconds', formatSeconds(trial.seconds)]);
  if (trial.value !== null)
    rows.push(['trusted', trial.trusted ? 'yes' : 'no: the candidate could have written its own score']);
  const failed = trial.status !== 'completed';
  // What the evaluator said explains its failure; what the run said, any other.
  const [who, tail] = trial.evaluatorNotes ? ['evaluator', trial.evaluatorNotes] : ['run', runs[0]?.logTail];
  return [
    `the unmodified workspace ${failed ? `ended as ${trial.failure ?? trial.status ?? 'nothing'}` : 'ran'}`,
    ...columns([...rows, ...hostRows(protections)]).map((line) => `  ${line}`),
    ...(protections.protections?.notes ?? []).map((text) => `  note: ${oneLine(text)}`),
    ...(failed && tail ? ['', `the ${who} said last:`, ...sanitize(tail).trimEnd().split('\n').slice(-15)] : []),
  ];
}

/** Whose they are comes first: a fleet's hosts are other machines than this one. */
const hostRows = ({ machine: of, protections, unknownReason: unknown }: HostProtections): string[][] => [
  ['protections', protections ? `of ${of}:` : `of ${of}: ${oneLine(unknown ?? 'not known')}`],
  ...(protections ? protectionRows(protections) : []),
];

const protectionRows = (protections: Protections): string[][] => [
  ['exposure', protections.exposure],
  [
    'containment',
    `${protections.containment} (${protections.containment === 'pid-namespace' ? 'no process of a run survives it' : 'best effort: a run can leave processes behind'})`,
  ],
  ['sandbox', protections.sandboxed ? 'yes' : 'no'],
  ['network', protections.network ? 'cut off from the run' : 'open to the run'],
  [
    'files',
    protections.filesystem
      ? 'only the run directory can be written, nothing private read'
      : protections.uid
        ? 'a run reads and writes what everybody may'
        : 'a run reads and writes what this user can',
  ],
  ['processes', protections.processes ? 'a run sees only its own' : 'a run sees the others'],
  ['user', protections.uid ? 'its own' : 'the same as the worker'],
];

/** `perpetua check --json`. */
export const checkReportJson = ({ loaded, view, protections }: CheckReport) => ({
  task: loaded.task.name,
  hash: loaded.hash,
  valid: true,
  trial: toLogLine({ ...view.trial, policyVersion: null, update: null }, view.trial.status),
  logTail: view.runs[0]?.logTail ?? null,
  evaluatorNotes: view.trial.evaluatorNotes,
  protections: protections.protections,
  protectionsOf: { host: protections.host, unknown: protections.unknownReason },
});
