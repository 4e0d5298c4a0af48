import { alongAxis, textMark, valueAxis, type Frame } from '../axes.ts';
import { roundCoordinate, mark, type Drawing, type Mark } from '../mark.ts';
import type { Palette } from '../palette.ts';
import { linear, type Scale } from '../scale.ts';

/** A metric over the updates of a policy. */
export interface Trace {
  name: string;
  /** Values by update; the line has a gap where y is null. */
  points: readonly { x: number; y: number | null }[];
  /** Updates at which a gate fired on the metric. */
  gates: readonly { x: number; then: string }[];
  /** Intervals around the values, by update; a band. */
  intervals?: readonly { x: number; low: number; high: number }[];
  /** Values for comparison; dotted lines. */
  references?: readonly { name: string; value: number }[];
  /** Updates of all traces that are drawn together, so that they share an x axis. */
  span: { from: number; to: number };
  width: number;
  height: number;
  /** Update under the pointer. */
  marked?: number | null;
  /** True: draw the x axis below the trace. */
  axis?: boolean;
}

export const traceFrame = ({ width, height }: Pick<Trace, 'width' | 'height'>): Frame => ({
  left: 52,
  right: width - 10,
  top: 12,
  bottom: height - 22,
});

export const traceScale = (trace: Pick<Trace, 'width' | 'height' | 'span'>): Scale => {
  const { left, right } = traceFrame(trace);
  const { from, to } = trace.span;
  return linear({ low: from, high: to > from ? to : from + 1, from: left, to: right, most: 6 });
};

/** The update nearest to a pixel. */
export function updateAt(trace: Pick<Trace, 'width' | 'height' | 'span'>, x: number): number {
  const { left, right } = traceFrame(trace);
  const { low, high } = traceScale(trace);
  const share = Math.min(1, Math.max(0, (x - left) / (right - left)));
  return Math.round(low + share * (high - low));
}

/** A small curve; a gate that fired is a triangle on it, below a dashed line. */
export function traceDrawing(trace: Trace, palette: Palette): Drawing {
  const { name, points, gates, width, height, marked = null } = trace;
  const frame = traceFrame(trace);
  const x = traceScale(trace);
  const { intervals = [], references = [] } = trace;
  const values = [
    ...points.flatMap(({ y }) => (y === null ? [] : [y])),
    ...intervals.flatMap(({ low, high }) => [low, high]),
    ...references.map(({ value }) => value),
  ];
  const range = values.length === 0 ? { low: 0, high: 1 } : { low: Math.min(...values), high: Math.max(...values) };
  const y = linear({ ...padded(range), from: frame.bottom, to: frame.top, most: 4 });
  const whole = x.ticks.filter((tick) => Number.isInteger(tick));
  const marks = [
    ...valueAxis(frame, { scale: y }, palette),
    ...alongAxis(frame, { scale: { ...x, ticks: whole }, texts: whole.map(String) }, palette),
  ];
  if (marked !== null)
    marks.push(
      mark('path', {
        d: `M${roundCoordinate(x.of(marked))} ${frame.top}V${frame.bottom}`,
        stroke: palette('line-strong'),
      }),
    );
  marks.push(
    ...intervals.map(({ x: k, low, high }) => intervalMark({ x: x.of(k), low: y.of(low), high: y.of(high) }, palette)),
    ...references.flatMap(({ name, value }) =>
      referenceMarks({ name, y: y.of(value), frame, atStart: value > (values[0] ?? value) }, palette),
    ),
    ...gates.flatMap((gate) => gateMarks({ gate, x, frame }, palette)),
    mark('path', {
      d: linePath(points, { x, y }),
      fill: 'none',
      stroke: palette('accent'),
      'stroke-width': 1.6,
      'stroke-linejoin': 'round',
    }),
    ...points.flatMap(({ x: k, y: value }) =>
      value === null || (k !== marked && points.length > 24)
        ? []
        : [
            mark('circle', {
              cx: roundCoordinate(x.of(k)),
              cy: roundCoordinate(y.of(value)),
              r: k === marked ? 3.5 : 2,
              fill: palette('accent'),
            }),
          ],
    ),
  );
  return { width, height, title: `${name} by update`, marks };
}

function padded({ low, high }: { low: number; high: number }) {
  const room = (high - low) * 0.08;
  return { low: low >= 0 && low - room < 0 ? Math.min(0, low) : low - room, high: high + room };
}

/** A line through the points, with a gap where y is null. */
function linePath(points: Trace['points'], { x, y }: { x: Scale; y: Scale }): string {
  let open = false;
  return points
    .map(({ x: k, y: value }) => {
      if (value === null) {
        open = false;
        return '';
      }
      const step = `${open ? 'L' : 'M'}${roundCoordinate(x.of(k))} ${roundCoordinate(y.of(value))}`;
      open = true;
      return step;
    })
    .join('');
}

/** An interval of one value: a pale vertical bar behind the line. */
const intervalMark = ({ x, low, high }: { x: number; low: number; high: number }, palette: Palette): Mark =>
  mark('path', {
    d: `M${roundCoordinate(x)} ${roundCoordinate(low)}V${roundCoordinate(high)}`,
    stroke: palette('line-strong'),
    'stroke-width': 3,
  });

interface ReferenceMark {
  name: string;
  y: number;
  frame: Frame;
  /** True: the name is at the left end of the line. */
  atStart: boolean;
}

/** A dotted line with its name. A rising curve leaves room above its start and below its end. */
function referenceMarks({ name, y, frame, atStart }: ReferenceMark, palette: Palette): Mark[] {
  const [x, anchor] = atStart ? ([frame.left + 4, 'start'] as const) : ([frame.right, 'end'] as const);
  return [
    mark('path', {
      d: `M${frame.left} ${roundCoordinate(y)}H${frame.right}`,
      stroke: palette('ink-2'),
      'stroke-dasharray': '1 4',
      'stroke-linecap': 'round',
      'stroke-width': 1.6,
    }),
    textMark({ x, y: roundCoordinate(y) - 4, fill: palette('ink-2'), size: 10, anchor }, name),
  ];
}

function gateMarks(
  { gate, x, frame }: { gate: Trace['gates'][number]; x: Scale; frame: Frame },
  palette: Palette,
): Mark[] {
  const left = roundCoordinate(x.of(gate.x));
  const colour = palette(gate.then === 'halt' ? 'bad' : 'warn');
  const sign =
    gate.then === 'halt'
      ? mark('path', { d: `M${left - 4} ${frame.top - 8}h8v8h-8z`, fill: colour })
      : mark('path', { d: `M${left - 4.5} ${frame.top - 8}h9l-4.5 8z`, fill: colour });
  return [
    mark('path', { d: `M${left} ${frame.top}V${frame.bottom}`, stroke: colour, 'stroke-dasharray': '3 3' }),
    sign,
  ];
}

/** Traces one below the other, each with its name, for a file. */
export function tracesDrawing(traces: readonly Omit<Trace, 'width' | 'height'>[], palette: Palette): Drawing {
  const [width, each, head] = [960, 130, 22];
  const marks = traces.flatMap((trace, index) => {
    const drawn = traceDrawing({ ...trace, width, height: each }, palette);
    const name = textMark({ x: 52, y: 15, fill: palette('ink'), weight: 600, size: 12 }, trace.name);
    return [
      mark('g', { transform: `translate(0 ${index * (each + head)})` }, name),
      mark('g', { transform: `translate(0 ${index * (each + head) + head})` }, ...drawn.marks),
    ];
  });
  const height = Math.max(1, traces.length) * (each + head) + 4;
  const ground = mark('rect', { width, height, fill: palette('surface') });
  return { width, height, title: 'Learning by update', marks: [ground, ...marks] };
}
