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

/** Text of a tooltip. */
interface Tip {
  title: string;
  lines: readonly string[];
}

/** The tooltip beside the point under the cursor, kept inside the chart. */
function Tooltip({ hover: { left, top }, tip: { title, lines } }: { hover: Hover; tip: Tip }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const parent = element?.parentElement;
    if (!element || !parent) return;
    const overflows = left + 14 + element.offsetWidth > parent.clientWidth;
    element.style.left = `${Math.max(0, overflows ? left - 14 - element.offsetWidth : left + 14)}px`;
    element.style.top = `${Math.max(0, Math.min(top - 12, parent.clientHeight - element.offsetHeight))}px`;
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
  /** Accessible name of the chart. */
  label: string;
  /** Layers, the last one on top. The chart redraws for a new array, so keep the same one while nothing changed. */
  layers: readonly Layer[];
  /** Prefix of the chart's parameters in the address, for zoom, scale and table. Unique on a page. */
  name?: string;
  /** Height in CSS pixels; `fill`: the rest of the panel. */
  height?: number | 'fill';
  xKind?: XKind;
  xName: string;
  yName: string;
  xText?: (value: number) => string;
  yText?: (value: number) => string;
  /** Texts of the ticks, in place of the plain number. */
  xTick?: (value: number) => string;
  yTick?: (value: number) => string;
  /** True: offers a logarithmic scale if all values are positive. */
  log?: boolean;
  legend?: boolean;
  /** Title and controls of the page, on the line of the chart's buttons. */
  heading?: ReactNode;
  tools?: ReactNode;
  /** Tooltip of a point; default: its label and value. */
  tip?: (point: Point) => Tip;
  onPick?: (point: Point) => void;
  /** Address of a point's subject, for links in the table. */
  hrefOf?: (point: Point) => string | undefined;
  /** Table of the chart; default: a row for each point. */
  table?: () => TableData;
}

/** A chart, or its data as a table. A drag zooms, a double click shows all. New data does not reset the zoom. */
export function Chart(props: ChartProps) {
  const { label, layers, name = 'c', height = 280, xKind = 'number', xName, yName, legend = true } = props;
  const { xText = plain, yText = plain, onPick, hrefOf } = props;
  const view = useView(name);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const log = view.log && props.log === true && canLog(layers);
  const fit = useMemo(() => fitOf({ layers, zoom: view.zoom, log }), [layers, view.zoomText, log]);
  const root = useRef<HTMLDivElement>(null);
  const drawing = { layers, fit, hidden, zoomed: view.zoom !== null, onZoom: view.setZoom, onPick };
  const hover = usePlot(root, drawing, { height, log, xKind, xTick: props.xTick, yTick: props.yTick });
  const table = () => props.table?.() ?? layersTable(layers, { xName, yName, xText, yText, hrefOf });
  const toggle = (entry: string) =>
    setHidden((before) => {
      const after = new Set(before);
      if (!after.delete(entry)) after.add(entry);
      return after;
    });
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

/** Zoom, scale and table view of a chart, which the address holds. */
function useView(name: string) {
  const { params } = useAddress();
  const text = params.get(`${name}.zoom`);
  const zoom = useMemo(() => zoomOf(text), [text]);
  const setZoom = useCallback(
    (next: Zoom | null) => setParams({ [`${name}.zoom`]: next === null ? null : zoomText(next) }),
    [name],
  );
  const flag = (key: string) => params.get(`${name}.${key}`) === '1';
  const setFlag = (key: string) => (enabled: boolean) => setParams({ [`${name}.${key}`]: enabled ? 1 : null });
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

/** Tooltip with the label of the point's group or layer, and the point's value. */
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
