import { oneLine } from '../../domain/text/sanitize.ts';
import type { Attention } from '../../view/attention/entry.ts';
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
import { describeEntry } from './lists/attention.ts';
import { columns } from './text/text.ts';

interface StatusContext {
  temporalState: TemporalState;
  now: Date;
  forecast: readonly BudgetLine[];
  /** Entries that need a person, as the research's page shows them. */
  attention: readonly Attention[];
}

/** `perpetua status` for people. */
export function renderStatus(view: StatusView, { temporalState, now, forecast, attention }: StatusContext): string[] {
  const { metric, queue } = view;
  const rows: string[][] = [
    ['metric', `${metric.name}, ${metric.direction}`],
    ['proposer', view.proposer],
    ...statusRows(view),
    ['window', describeWindow(view.window)],
  ];
  const firstLimit = firstLimitReached(forecast);
  if (firstLimit !== null) rows.push(['forecast', firstLimit]);
  if (queue !== null) rows.push(['queue', describeQueue(queue)]);
  const notes = [...temporalState.notes.map(oneLine), ...noticeLines(view, now)];
  return [
    `${view.workflowId} · task ${view.task} · ${describePhase(view)}`,
    ...columns(rows).map((line) => `  ${line}`),
    ...attention.map((entry) => `needs you: ${describeEntry(entry, now)}`),
    ...describeAllFailing(temporalState.failing ?? [], now).map((line) => `failing: ${line}`),
    ...notes.map((note) => `note: ${note}`),
  ];
}
