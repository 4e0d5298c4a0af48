import { useCallback, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { numberText as plain } from '../../../../domain/text/format.ts';
import { setParams, useAddress } from '../../router.ts';
import { UntrustedText } from '../untrusted-text.tsx';
import type { XKind } from './axes.ts';
import { ChartTable, type TableData } from './chart-table.tsx';
import { canLog, fitOf } from './extent.ts';
import type { Layer, Point } from './layers.ts';
import { Legend } from './legend.tsx';
import { layersTable } from './layers-table.ts';
import { type Hover, usePlot } from './use-plot.ts';
import { type Zoom, zoomOf, zoomText } from './zoom.ts';

/** Words at a point: what it is, and its facts. */
interface Tip {
  title: string;
  lines: readonly string[];
}

/** The words beside the point under the cursor, kept inside the chart. */
function Tooltip({ hover: { left, top }, tip: { title, lines } }: { hover: Hover; tip: Tip }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const around = element?.parentElement;
    if (!element || !around) return;
    const right = left + 14 + element.offsetWidth > around.clientWidth;
    element.style.left = `${Math.max(0, right ? left - 14 - element.offsetWidth : left + 14)}px`;
    element.style.top = `${Math.max(0, Math.min(top - 12, around.clientHeight - element.offsetHeight))}px`;
  });
  return (
    <>
      <span className="chart-ring" style={{ left, top }} />
      <div className="chart-tip" ref={box}>
        <strong>
          <UntrustedText text={title} line max={160} />
        </strong>
        {lines.map((line, index) => (
          <p key={index}>
            <UntrustedText text={line} line max={300} />
          </p>
        ))}
      </div>
    </>
  );
}

export interface ChartProps {
  /** What it shows, in words, for those who do not see it. */
  label: string;
  /** Keep the same array while nothing changed: it is drawn anew for another one. Its last layer is on top. */
  layers: readonly Layer[];
  /** Its parameters in the address begin so: zoom and scale are part of the view. Two charts of a page need two names. */
  name?: string;
  /** In CSS pixels; `fill`: what its panel has left. */
  height?: number | 'fill';
  xKind?: XKind;
  xName: string;
  yName: string;
  xText?: (value: number) => string;
  yText?: (value: number) => string;
  /** At the axes, where that should differ from the plain number. */
  xTick?: (value: number) => string;
  yTick?: (value: number) => string;
  /** A logarithmic scale may be chosen, where all is positive. */
  log?: boolean;
  legend?: boolean;
  /** Its title, and controls of the page's own, on the line of its buttons. */
  heading?: ReactNode;
  tools?: ReactNode;
  /** The words at a point, in place of its label and value. */
  tip?: (point: Point) => Tip;
  onPick?: (point: Point) => void;
  /** Where a point leads, in the table. */
  hrefOf?: (point: Point) => string | undefined;
  /** In place of a row for each point. */
  table?: () => TableData;
}

/** A chart: drag to zoom, double click to see all again; as a table, too. Its zoom survives whatever arrives meanwhile. */
export function Chart(props: ChartProps) {
  const { label, layers, name = 'c', height = 280, xKind = 'number', xName, yName, legend = true } = props;
  const { xText = plain, yText = plain, onPick, hrefOf } = props;
  const view = useView(name);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const log = view.log && props.log === true && canLog(layers);
  const fit = useMemo(() => fitOf({ layers, zoom: view.zoom, log }), [layers, view.zoomText, log]);
  const root = useRef<HTMLDivElement>(null);
  const drawing = { layers, fit, hidden, onZoom: view.setZoom, onPick };
  const hover = usePlot(root, drawing, { height, log, xKind, xTick: props.xTick, yTick: props.yTick });
  const table = () => props.table?.() ?? layersTable(layers, { xName, yName, xText, yText, hrefOf });
  const toggle = (entry: string) =>
    setHidden((before) => new Set(before.has(entry) ? [...before].filter((one) => one !== entry) : [...before, entry]));
  return (
    <figure className="chart" data-fill={height === 'fill'}>
      <div className="chart-bar">
        {props.heading}
        <span className="end row">
          {props.tools}
          {view.zoom ? <Button onClick={() => view.setZoom(null)}>Show all</Button> : null}
          {props.log && canLog(layers) ? (
            <Button pressed={log} onClick={() => view.setLog(!log)}>
              Log
            </Button>
          ) : null}
          <Button pressed={view.table} onClick={() => view.setTable(!view.table)}>
            Table
          </Button>
        </span>
      </div>
      {view.table ? <ChartTable table={table()} label={label} /> : null}
      <div className="chart-plot" data-pick={onPick !== undefined && hover !== null} hidden={view.table}>
        <div ref={root} className="chart-root" role="img" aria-label={label} />
        {hover ? (
          <Tooltip hover={hover} tip={(props.tip ?? defaultTip({ layers, xText, yText }))(hover.point)} />
        ) : null}
        {fit.above > 0 ? <p className="chart-out" data-side="top">{`↑ ${fit.above} above`}</p> : null}
        {fit.below > 0 ? <p className="chart-out" data-side="bottom">{`↓ ${fit.below} below`}</p> : null}
      </div>
      {legend ? <Legend layers={layers} hidden={hidden} onToggle={toggle} /> : null}
    </figure>
  );
}

const Button = ({ pressed, onClick, children }: { pressed?: boolean; onClick: () => void; children: string }) => (
  <button type="button" className="button small" aria-pressed={pressed} onClick={onClick}>
    {children}
  </button>
);

/** Zoom, scale and table of a chart, kept in the address. */
function useView(name: string) {
  const { params } = useAddress();
  const text = params.get(`${name}.zoom`);
  const zoom = useMemo(() => zoomOf(text), [text]);
  const setZoom = useCallback(
    (next: Zoom | null) => setParams({ [`${name}.zoom`]: next === null ? null : zoomText(next) }),
    [name],
  );
  const flag = (key: string) => params.get(`${name}.${key}`) === '1';
  const setFlag = (key: string) => (on: boolean) => setParams({ [`${name}.${key}`]: on ? 1 : null });
  return {
    zoom,
    zoomText: text,
    setZoom,
    log: flag('log'),
    setLog: setFlag('log'),
    table: flag('table'),
    setTable: setFlag('table'),
  };
}

/** The label of the point's layer or group, and its value. */
const defaultTip =
  ({ layers, xText, yText }: Required<Pick<ChartProps, 'layers' | 'xText' | 'yText'>>) =>
  ({ layer: at, index }: Point): Tip => {
    const layer = layers[at];
    if (layer === undefined || layer.kind === 'level' || layer.kind === 'mark') return { title: '', lines: [] };
    const group = layer.kind === 'dots' ? layer.groups[layer.group[index] ?? -1] : undefined;
    const value = layer.y[index] ?? null;
    const x = layer.x[index] ?? NaN;
    return { title: group?.label ?? layer.label, lines: [xText(x), value === null ? 'no value' : yText(value)] };
  };
