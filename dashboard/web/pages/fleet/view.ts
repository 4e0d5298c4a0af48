import type { Fleet, Gantt } from '../../../api/fleet.ts';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { ganttDrawing } from '../../../../view/figure/drawings/gantt.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { stemOf, type ExportedView } from '../../../../view/figure/exported-view.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { ganttKindOf, rowsOf, secondsOf } from './gantt-bars.ts';
import { slotName, HOST_STATE_LABELS, quarantineText, shareText } from './labels.ts';
import { timeTicks } from './time-ticks.ts';

/** Exported view of the fleet, with the runs of a time span. */
export function fleetView(fleet: Fleet, gantt: Gantt): ExportedView {
  const { pools, hosts, slots, busyHour, busyDay, now } = fleet;
  const rows = rowsOf(
    gantt,
    slots.map(({ id }) => id),
  );
  const seconds = secondsOf(gantt);
  const { bars } = gantt;
  const drawing = ganttDrawing(
    {
      slots: rows.map((slot) => visibleLine(slotName(slot), 22)),
      seconds,
      bars: {
        slot: bars.slot.map((slot) => rows.indexOf(gantt.slots[slot] ?? '')),
        start: bars.start,
        seconds: bars.seconds,
        kind: bars.slot.map((_, bar) => ganttKindOf(gantt, bar)),
      },
      ticks: timeTicks(new Date(gantt.from), seconds, 9),
    },
    paperPalette,
  );
  const began = (bar: number) => new Date(Date.parse(gantt.from) + (bars.start[bar] ?? 0) * 1000).toISOString();
  return {
    stem: stemOf('perpetua-fleet'),
    title: 'Fleet',
    subtitle: `${hosts.length} hosts, ${slots.length} slots`,
    at: new Date(now),
    facts: [
      { label: 'Busy in the last hour', value: shareText(busyHour) },
      { label: 'Busy in the last 24 hours', value: shareText(busyDay) },
      { label: 'Trials that wait', value: String(pools.reduce((sum, { waiting }) => sum + waiting, 0)) },
    ],
    drawings: [drawing],
    sections: [
      {
        title: 'Pools',
        table: {
          columns: ['pool', 'busy', 'slots', 'waiting', 'gap p50', 'gap p95'],
          rows: pools.map(({ pool, leased, total, waiting, gapP50, gapP95 }) => [
            visibleLine(pool),
            leased,
            total,
            waiting,
            formatSeconds(gapP50),
            formatSeconds(gapP95),
          ]),
        },
        numbers: [1, 2, 3, 4, 5],
      },
      {
        title: 'Hosts',
        table: {
          columns: ['host', 'state', 'machine', 'pool', 'busy', 'slots', 'problem'],
          rows: hosts.map((host) => [
            visibleLine(host.name),
            quarantineText(host) ?? HOST_STATE_LABELS[host.state],
            visibleLine(host.machine ?? ''),
            visibleLine(host.pool),
            host.running,
            host.slots,
            visibleLine(host.problem ?? '', 300),
          ]),
        },
        numbers: [4, 5],
      },
    ],
    data: {
      columns: ['trial', 'slot', 'began', 'seconds', 'end'],
      rows: bars.slot.map((slot, bar) => [
        bars.trialId[bar],
        gantt.slots[slot],
        began(bar),
        bars.seconds[bar],
        ganttKindOf(gantt, bar).word,
      ]),
    },
  };
}
