import { oneLine } from '../../../domain/text/clean.ts';
import { formatAgo, formatSeconds, formatValue } from '../../../domain/text/format.ts';
import { noteLines } from '../../../domain/view/notes.ts';
import { describeOwnGpus } from '../../../domain/view/fleet/own-gpus.ts';
import { describeOthers } from '../../../domain/view/others.ts';
import { describePhase, hasEnded } from '../../../domain/view/phase.ts';
import { statusRows } from '../../../domain/view/rows.ts';
import { describeActive } from '../../../domain/view/spend.ts';
import { describeSlots, describeWindow } from '../../../domain/view/trials.ts';
import { describeEnd, describeKind, describeRace, describeScore } from '../../../domain/view/verdict.ts';
import type { Asked } from '../../temporal/ask-temporal.ts';
import { describeAllFailing } from '../../render/failing.ts';
import type { Style } from '../../render/text/style.ts';
import { alignCells, columns, cut } from '../../render/text/text.ts';
import { wrapTo } from '../../render/text/wrap.ts';
import { dashboardLine, postgresLines, type ShownAddresses, temporalLines } from '../addresses.ts';
import { learningPanel } from './learning.ts';
import { LABEL, layRows, type Row } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

export interface FrameOptions {
  columns: number;
  rows: number;
  now: Date;
  /** Time under way as the budget counts it. */
  activeSeconds: number;
  addresses: ShownAddresses;
  style: Style;
  /** Why what is shown is old; null while it is fresh. */
  away: string | null;
  /** What Temporal said last; null before it was asked. */
  asked: Asked | null;
  /** What else whoever shows it has to say. */
  notes?: string[];
}

/** Lines between head and foot that longer rows leave for what is under way and the last verdicts. */
const ENOUGH = 6;
/** Lines between head and foot from which on there are blank lines between the parts, too. */
const AIRY = 12;
/** Lines that a curve leaves of those, for what is under way and the blank ones. */
const CURVED = 6;
/** Lines that one notice, or the phase with its reason, has at most. */
const TOLD_LINES = 3;
/** From so many rows on, the phase's reason may take more than one. */
const NOT_LOW = 20;
/** Widest cells of a trial under way: number, kind, stage, time, last point. */
const UNDER_WAY = [10, 16, 9, 12, 28];
/** Widest cells of a verdict: number, kind, end, value, age. */
const VERDICT = [10, 16, 20, 22, 16];
/** What holds a slot first, so that it is what a low terminal shows. */
const STAGES = ['running', 'scoring', 'preparing', 'queued', 'proposing'];
/** A terminal's height where nobody has changed it. */
const USUAL_ROWS = 24;
/** Before a verdict's reason. */
const REASON = '      ';
/** Below this a verdict's age is left out, so that its hypothesis has room. */
const ROOMY = 70;

/**
 * The live view as lines that fit the terminal: no line wider, not more lines than rows − 1. Where it is low, what is
 * under way and the last verdicts make room: where the stack is and how to steer it are always shown.
 */
export function renderFrame(snapshot: Snapshot, options: FrameOptions): string[] {
  const rows = Math.max(1, options.rows - 1);
  const title = titleLines(snapshot, options);
  const [headRows, footRows] = [headOf(snapshot), footOf(snapshot, options)];
  const left = rows - title.length - headRows.length - footRows.length;
  const notices = noticeLines(snapshot, options, left - AIRY);
  let spare = Math.max(0, left - notices.length - ENOUGH);
  const lay = (part: Row[]): string[] => {
    const lines = layRows(part, { ...options, spare });
    spare -= lines.length - part.length;
    return lines;
  };
  // The foot first: half of a command is of no use.
  const foot = lay(footRows).slice(-rows);
  const head = [...title.map(options.style.bold), ...lay(headRows), ...notices].slice(0, rows - foot.length);
  const between = rows - head.length - foot.length;
  const airy = between >= AIRY;
  // A curve says more than single trials do, of which a policy makes many.
  const learning = learningPanel(snapshot, { columns: options.columns, lines: airy ? between - CURVED : between });
  const room = between - learning.length - (airy ? (learning.length > 0 ? 4 : 3) : 0);
  const running = runningLines(snapshot, options, Math.max(Math.min(2, room - 2), Math.floor(room / 3)));
  const verdicts = verdictLines(snapshot, options, room - running.length);
  const parts = [head, learning, running, verdicts, foot].filter((part, index) => index === 0 || part.length > 0);
  return parts.flatMap((part, index) => (!airy || index === 0 ? part : ['', ...part]));
}

/** What is shown of a research that is not in the database yet. */
export const renderWaiting = (researchId: string, options: Pick<FrameOptions, 'asked' | 'now' | 'columns'>): string[] =>
  [
    `waiting for the research ${researchId} to start`,
    ...failingLines(options).map((line) => `! ${line}`),
    ...(options.asked?.notes ?? []).map((line) => `! ${oneLine(line)}`),
  ].flatMap((line) => wrapTo(line, { width: options.columns, lines: TOLD_LINES }));

const failingLines = ({ asked, now }: Pick<FrameOptions, 'asked' | 'now'>): string[] =>
  describeAllFailing(asked?.failing ?? [], now);

function titleLines({ status }: Snapshot, options: FrameOptions): string[] {
  const text = `perpetua · ${status.workflowId} · ${describePhase(status)} · ${describeActive(options.activeSeconds)}`;
  return wrapTo(text, { width: options.columns, lines: options.rows < NOT_LOW ? 1 : TOLD_LINES });
}

/** What it has come to. */
function headOf({ status, others, gpus: own }: Snapshot): Row[] {
  const [beside, gpus] = [describeOthers(others), describeOwnGpus(own)];
  const window = status.window === null ? '' : ` · ${describeWindow(status.window)}`;
  return [
    ...statusRows(status).map(([label, text]) => ({ label, text })),
    { label: 'slots', text: `${describeSlots(status.slots)}${window} · proposer ${status.proposer}` },
    ...(gpus === null ? [] : [{ label: 'gpus', text: gpus }]),
    ...(beside === null ? [] : [{ label: 'also here', text: beside }]),
  ];
}

/**
 * What fails, in red, then what else a person should see; as many as the terminal has room for, and how many more. Where
 * there are few of them, or lines to spare, they are told whole.
 */
function noticeLines({ status }: Snapshot, options: FrameOptions, room: number): string[] {
  const { style } = options;
  const notices = [
    ...(options.away ? [{ paint: style.yellow, text: options.away }] : []),
    ...failingLines(options).map((text) => ({ paint: style.red, text })),
    ...[...(options.notes ?? []), ...(options.asked?.notes ?? []), ...noteLines(status, options.now)].map((text) => ({
      paint: style.yellow,
      text,
    })),
  ];
  const limit = Math.max(2, Math.floor(options.rows / 6));
  const more = notices.length - limit;
  const shown = notices.slice(0, limit);
  let spare = Math.max(limit, room) - shown.length;
  const lines = shown.flatMap(({ paint, text }) => {
    const width = options.columns - 2;
    const wrapped = wrapTo(oneLine(text), { width, lines: Math.min(TOLD_LINES, 1 + spare) });
    spare -= wrapped.length - 1;
    return wrapped.map((line, index) => paint(fit(`${index === 0 ? '!' : ' '} ${line}`, options)));
  });
  return [
    ...lines,
    ...(more > 0 ? [style.yellow(fit(`! and ${more} more: npx perpetua status ${status.workflowId}`, options))] : []),
  ];
}

/** Its heading and as many trials as fit into so many lines; nothing where not even one does. */
function runningLines({ running }: Snapshot, options: FrameOptions, lines: number): string[] {
  const { style } = options;
  if (lines < 2) return [];
  // Two lines hold the heading and one trial: how many more there are then stands beside the heading.
  const beside = lines === 2 && running.length > 1 ? ` (and ${running.length - 1} more)` : '';
  const rows = running
    .toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage))
    .slice(0, running.length < lines ? lines : Math.max(1, lines - 2))
    .map((trial) => [
      `  #${trial.n}`,
      describeKind(trial),
      trial.stage,
      formatSeconds(trial.seconds),
      trial.step === null ? '' : `step ${trial.step}: ${formatValue(trial.value)}`,
      oneLine(trial.hypothesis ?? ''),
    ]);
  const more = running.length - rows.length;
  return [
    style.bold(fit(`under way${beside}`, options)),
    ...(rows.length === 0
      ? [style.dim('  nothing')]
      : columns(rows, UNDER_WAY).map((line) => fit(line.trimEnd(), options))),
    ...(more > 0 ? [style.dim(fit(`  and ${more} more`, options))] : []),
  ].slice(0, lines);
}

/** Its heading and what fits into so many lines, a verdict's reason under it; nothing where not even one does. */
function verdictLines({ rulings, status }: Snapshot, options: FrameOptions, room: number): string[] {
  const { style } = options;
  if (room < 2) return [];
  const shown = rulings.slice(0, room);
  const cells = alignCells(
    shown.map((line) => [
      `  #${line.n}`,
      describeKind(line),
      describeEnd(line),
      describeScore(line),
      ...(options.columns < ROOMY
        ? []
        : [formatAgo(line.ruledAt === null ? null : new Date(line.ruledAt), options.now)]),
      oneLine(line.hypothesis ?? ''),
    ]),
    VERDICT,
  );
  const lines = shown.flatMap((line, index) => {
    const row = cells[index] ?? [];
    const end = describeEnd(line);
    const paint = end === 'keep' ? style.green : end === 'confirm' ? style.cyan : line.failure ? style.red : style.dim;
    const head = row.slice(0, 3).join('  ');
    const text = fit(row.join('  ').trimEnd(), options);
    const painted = text.startsWith(head) ? paint(head) + text.slice(head.length) : text;
    const why = line.reason
      ? wrapTo(oneLine(line.reason), {
          width: options.columns - REASON.length,
          // The newest is what a low terminal has room for.
          lines: index === 0 || room >= AIRY ? 2 : 1,
        })
      : [];
    return [painted, ...why.map((one) => style.dim(fit(`${REASON}${one}`, options)))];
  });
  return [
    style.bold(fit('last verdicts', options)),
    ...(hasEnded(status.phase) ? [] : status.races).map((race) => style.cyan(fit(`  ${describeRace(race)}`, options))),
    ...(lines.length === 0
      ? [style.dim(fit('  none yet; the first runs measure the baseline and its noise', options))]
      : lines),
  ].slice(0, room);
}

/** Where it is and how to steer it. */
function footOf({ research: { id } }: Snapshot, { addresses, columns, rows }: FrameOptions): Row[] {
  const inLines = (label: string, lines: string[]): Row[] =>
    lines.map((text, index) => ({ label: index === 0 ? label : ' ', text }));
  // The dashboard leads there, too.
  const isLow = rows <= USUAL_ROWS && addresses.dashboard !== null;
  return [
    ...(addresses.dashboard
      ? [{ label: 'dashboard', text: dashboardLine(addresses.dashboard), short: addresses.dashboard }]
      : []),
    ...(addresses.temporalUi && !isLow ? [{ label: 'web ui', text: addresses.temporalUi }] : []),
    ...inLines('temporal', temporalLines(addresses, columns - LABEL)),
    ...inLines('postgres', postgresLines(addresses, columns - LABEL)),
    {
      label: 'steer',
      text: `npx perpetua ${steering(id)}`,
      short: `npx perpetua pause | resume | stop | note | best ${id}`,
    },
  ];
}

/** Commands that steer a research, in one line. */
export const steering = (id: string): string => `pause | resume | stop ${id} · note ${id} "…" · best ${id} --out DIR`;

const fit = (text: string, options: FrameOptions): string => cut(text, options.columns);
