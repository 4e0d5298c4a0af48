import { oneLine } from '../../domain/text/sanitize.ts';
import type { BudgetLine } from '../../db/reads/page/spend/read-budgets.ts';
import { noticeLines } from '../../view/notices.ts';
import { describePhase } from '../../view/phase.ts';
import { statusRows } from '../../view/rows.ts';
import { firstLimitReached } from '../../view/page/spend/forecast-limits.ts';
import type { StatusView } from '../../view/status.ts';
import { describeWindow } from '../../view/trials.ts';
import { describeQueue } from '../../view/wait.ts';
import type { TemporalState } from '../temporal/read-temporal-state.ts';
import { describeAllFailing } from './failing.ts';
import { columns } from './text/text.ts';

interface Beside {
  asked: TemporalState;
  now: Date;
  forecast: readonly BudgetLine[];
}

/** `perpetua status` for people. */
export function renderStatus(view: StatusView, { asked, now, forecast }: Beside): string[] {
  const { metric, queue } = view;
  const end = firstLimitReached(forecast);
  return [
    `${view.workflowId} · task ${view.task} · ${describePhase(view)}`,
    ...columns([
      ['metric', `${metric.name}, ${metric.direction}`],
      ['proposer', view.proposer],
      ...statusRows(view),
      ['window', describeWindow(view.window)],
      ...(end === null ? [] : [['forecast', end]]),
      ...(queue === null ? [] : [['queue', describeQueue(queue)]]),
    ]).map((line) => `  ${line}`),
    ...describeAllFailing(asked.failing ?? [], now).map((line) => `failing: ${line}`),
    ...[...asked.notes.map(oneLine), ...noticeLines(view, now)].map((note) => `note: ${note}`),
  ];
}
