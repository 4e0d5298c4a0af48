import { expect, test } from 'vitest';
import type { Fleet, Gantt } from '../../../../dashboard/api/fleet.ts';
import { barAt, boxOf, rowsOf } from '../../../../dashboard/web/pages/fleet/gantt-bars.ts';
import { ganttPath } from '../../../../dashboard/web/pages/fleet/gantt-path.ts';
import { timeTicks } from '../../../../dashboard/web/pages/fleet/time-ticks.ts';
import { fleetView } from '../../../../dashboard/web/pages/fleet/view.ts';
import { quarantineText } from '../../../../dashboard/web/pages/fleet/labels.ts';
import { csvText } from '../../../../view/figure/csv.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import { parseXmlElements } from '../../../support/parse-xml-elements.ts';

const GANTT: Gantt = {
  from: '2026-11-27T10:00:00Z',
  to: '2026-11-27T11:00:00Z',
  slots: ['b:0', 'a:0'],
  bars: {
    slot: [0, 0, 1],
    trialId: ['demo/1', 'demo/2', 'demo/3'],
    start: [-600, 1800, 0],
    seconds: [1200, 9999, 1],
    outcome: [1, 0, 3],
  },
  cut: false,
};
const PLANE = { width: 158 + 360, left: 150, rows: ['a:0', 'b:0'] };

test('rows are the present slots, then the removed ones', () => {
  expect(rowsOf(GANTT, ['a:0', 'c:0'])).toEqual(['a:0', 'c:0', 'b:0']);
});

test('a bar is cut at the edges of the plot', () => {
  expect(boxOf(GANTT, 0, PLANE)).toMatchObject({ x: 150, width: 60 });
  expect(boxOf(GANTT, 1, PLANE)).toMatchObject({ x: 330, width: 180 });
});

test('a bar is found by a point on it or near it, in its own row only', () => {
  const at = (x: number, row: number) => barAt(GANTT, PLANE, { x, y: 4 + 24 * row + 12 });
  expect([at(160, 1), at(400, 1), at(152, 0), at(153, 0), at(300, 1), at(100, 1)]).toEqual([0, 1, 2, 2, null, null]);
  expect(barAt(GANTT, PLANE, { x: 160, y: 900 })).toBeNull();
});

test('ticks are round times of the clock', () => {
  const ticks = timeTicks(new Date(2026, 10, 27, 10, 7), 3600, 6);
  expect(ticks.map(({ words }) => words)).toEqual(['10:10', '10:20', '10:30', '10:40', '10:50', '11:00']);
  expect(ticks[0]?.at).toBe(180);
  expect(timeTicks(new Date(2026, 10, 27, 10, 7), 86_400, 8).map(({ words }) => words)).toEqual([
    '12:00',
    '15:00',
    '18:00',
    '21:00',
    '00:00',
    '03:00',
    '06:00',
    '09:00',
  ]);
});

test('the requested time span changes once a minute', () => {
  const paths = ['10:07:01', '10:07:59', '10:08:00'].map((time) => ganttPath('6', `2026-11-27T${time}.000Z`));
  expect(paths[0]).toBe(paths[1]);
  expect(paths[2]).not.toBe(paths[1]);
  expect(decodeURIComponent(paths[0] ?? '')).toBe('gantt?from=2026-11-27T04:07:00.000Z');
});

test('a quarantine is shown while it lasts', () => {
  expect(quarantineText({ quarantineSeconds: 90 })).toBe('in quarantine for 1 min 30 s more: no new runs begin here');
  expect([quarantineText({ quarantineSeconds: null }), quarantineText({ quarantineSeconds: -3 })]).toEqual([
    null,
    null,
  ]);
});

test('the view has every run, and a host may have any name', () => {
  const fleet: Fleet = {
    hosts: [
      {
        name: '=cmd()',
        pool: '<b>',
        state: 'serving',
        machine: null,
        labels: [],
        slots: 1,
        running: 0,
        seenSecondsAgo: 1,
        quarantineSeconds: null,
        failures: 0,
        problem: '<script>',
        note: null,
      },
    ],
    slots: [],
    pools: [],
    busyHour: 0.5,
    busyDay: null,
    now: '2026-11-27T11:00:00Z',
  };
  const view = fleetView(fleet, { ...GANTT, slots: ['<b>', '=1'] });
  expect(csvText(view.data).split('\r\n')).toHaveLength(5);
  expect(csvText(view.data)).toContain(`demo/3,'=1,`);
  const [drawing] = view.drawings;
  if (!drawing) throw new Error('expected a drawing');
  expect(parseXmlElements(svgFile(drawing))).not.toContain('b');
});
