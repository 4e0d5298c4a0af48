import { oneLine } from '../../domain/text/clean.ts';
import { noteLines } from '../../domain/view/notes.ts';
import { describePhase } from '../../domain/view/phase.ts';
import { statusRows } from '../../domain/view/rows.ts';
import type { StatusView } from '../../domain/view/status.ts';
import { describeWindow } from '../../domain/view/trials.ts';
import { describeQueue } from '../../domain/view/wait.ts';
import type { Asked } from '../temporal/ask-temporal.ts';
import { describeAllFailing } from './failing.ts';
import { columns } from './text/text.ts';

/** `perpetua status` for people. */
export function renderStatus(view: StatusView, { asked, now }: { asked: Asked; now: Date }): string[] {
  const { metric, queue } = view;
  return [
    `${view.workflowId} · task ${view.task} · ${describePhase(view)}`,
    ...columns([
      ['metric', `${metric.name}, ${metric.direction}`],
      ['proposer', view.proposer],
      ...statusRows(view),
      ['window', describeWindow(view.window)],
      ...(queue === null ? [] : [['queue', describeQueue(queue)]]),
    ]).map((line) => `  ${line}`),
    ...describeAllFailing(asked.failing ?? [], now).map((line) => `failing: ${line}`),
    ...[...asked.notes.map(oneLine), ...noteLines(view, now)].map((note) => `note: ${note}`),
  ];
}
