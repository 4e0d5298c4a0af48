import { formatAgo, formatSeconds, formatValue } from '../render/number.ts';
import { statusRows, unitOf } from '../render/status.ts';
import { describeEnd, describeKind } from '../render/log-line.ts';
import type { Style } from '../render/style.ts';
import { columns, cut, oneLine, pad } from '../render/text.ts';
import type { ShownAddresses } from './addresses.ts';
import type { Snapshot } from './snapshot.ts';

export interface FrameOptions {
  columns: number;
  rows: number;
  now: Date;
  addresses: ShownAddresses;
  style: Style;
  /** Why what is shown is old; null while it is fresh. */
  away: string | null;
}

const LABEL = 10;
/** Lines of the frame that are neither trials under way nor verdicts. */
const FIXED = 19;

/** The live view as lines that fit the terminal: no line wider, not more lines than rows − 1. */
export function renderFrame(snapshot: Snapshot, options: FrameOptions): string[] {
  const room = Math.max(2, options.rows - 1 - FIXED);
  const running = Math.min(snapshot.running.length, Math.max(1, Math.floor(room / 3)));
  const lines = [
    ...headLines(snapshot, options),
    '',
    ...runningLines(snapshot, options, running),
    '',
    ...verdictLines(snapshot, options, Math.max(1, Math.floor((room - running) / 2))),
    '',
    ...footLines(snapshot, options),
  ];
  return lines.slice(0, Math.max(1, options.rows - 1));
}

function headLines({ research, status, slots, warnings, report }: Snapshot, options: FrameOptions): string[] {
  const { style } = options;
  const elapsed = formatSeconds((options.now.getTime() - research.createdAt.getTime()) / 1000);
  const title = `${status.workflowId} · ${status.phase}${status.reason ? ` (${oneLine(status.reason)})` : ''} · ${elapsed}`;
  const window = status.window === null ? '' : ` · window ${status.window}`;
  const rows: [string, string][] = [
    ...statusRows(status, { unit: unitOf(research.task.metric), report }),
    ['slots', `${slots.leased} of ${slots.total} busy${window} · proposer ${research.proposer}`],
  ];
  const notes = [...(options.away ? [options.away] : []), ...warnings.slice(0, 2)];
  return [
    style.bold(fit(`perpetua · ${title}`, options)),
    ...rows.map(([label, text]) => labelled(label, text, options)),
    ...notes.map((text) => style.yellow(fit(`! ${oneLine(text)}`, options))),
  ];
}

function runningLines({ running }: Snapshot, options: FrameOptions, limit: number): string[] {
  const { style } = options;
  const rows = running
    .slice(0, limit)
    .map((trial) => [
      `  #${trial.n}`,
      trial.kind,
      trial.stage,
      formatSeconds(trial.seconds),
      trial.step === null ? '' : `step ${trial.step}: ${formatValue(trial.value)}`,
      oneLine(trial.hypothesis ?? ''),
    ]);
  const more = running.length - rows.length;
  return [
    style.bold(fit('under way', options)),
    ...(rows.length === 0 ? [style.dim('  nothing')] : columns(rows).map((line) => fit(line.trimEnd(), options))),
    ...(more > 0 ? [style.dim(fit(`  and ${more} more`, options))] : []),
  ];
}

function verdictLines({ ended, research }: Snapshot, options: FrameOptions, limit: number): string[] {
  const { style } = options;
  const unit = unitOf(research.task.metric);
  const lines = ended.slice(0, limit).flatMap((line) => {
    const end = describeEnd(line);
    const paint = end === 'keep' ? style.green : end === 'confirm' ? style.cyan : line.failure ? style.red : style.dim;
    const value = line.value === null ? '–' : `${formatValue(line.value)}${unit}`;
    const ago = formatAgo(line.endedAt === null ? null : new Date(line.endedAt), options.now);
    const head = `  ${pad(`#${line.n}`, 6)} ${pad(describeKind(line), 12)} ${pad(end, 10)}`;
    const text = `${pad(value, 12)} ${pad(ago, 11)} ${oneLine(line.hypothesis ?? '')}`;
    const shown = fit(`${head} ${text}`, options);
    const painted = shown.startsWith(head) ? paint(head) + shown.slice(head.length) : shown;
    return line.reason ? [painted, style.dim(fit(`         ${oneLine(line.reason)}`, options))] : [painted];
  });
  return [
    style.bold(fit('last verdicts', options)),
    ...(lines.length === 0
      ? [style.dim(fit('  none yet; the first runs measure the baseline and its noise', options))]
      : lines),
  ];
}

function footLines({ research }: Snapshot, options: FrameOptions): string[] {
  const { addresses } = options;
  const id = research.id;
  return [
    ...(addresses.temporalUi ? [labelled('web ui', addresses.temporalUi, options)] : []),
    ...(addresses.temporal ? [labelled('temporal', addresses.temporal, options)] : []),
    labelled('postgres', addresses.postgres, options),
    labelled(
      'steer',
      `perpetua pause | resume | stop ${id} · perpetua note ${id} "…" · perpetua best ${id} --out DIR`,
      options,
    ),
  ];
}

const labelled = (label: string, text: string, options: FrameOptions): string =>
  options.style.dim(pad(label, LABEL)) + cut(text, Math.max(0, options.columns - LABEL));

const fit = (text: string, options: FrameOptions): string => cut(text, options.columns);
