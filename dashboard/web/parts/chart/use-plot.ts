import { useEffect, useRef, useState, type RefObject } from 'react';
import uPlot from 'uplot';
import { axesOf, type XKind } from './axes.ts';
import { placeY } from './draw/draw-dots.ts';
import { drawLayers } from './draw/draw-layers.ts';
import type { Fit } from './extent.ts';
import { onTheme } from './draw/ink.ts';
import type { Layer, Point } from './layers.ts';
import { nearestPoint } from './nearest.ts';
import type { Zoom } from './zoom.ts';

/** Height of the lane for points without a value, in CSS pixels. */
const LANE = 16;

/** What is drawn; the plot reads the newest whenever it draws. */
export interface PlotContent {
  layers: readonly Layer[];
  fit: Fit;
  hidden: ReadonlySet<string>;
  onZoom: (zoom: Zoom | null) => void;
  onPick?: ((point: Point) => void) | undefined;
}

/** A point under the cursor and where it is, in CSS pixels from the corner of the chart. */
export interface Hover {
  point: Point;
  left: number;
  top: number;
}

interface Look {
  /** In CSS pixels; `fill`: as tall as the element that it is drawn into. */
  height: number | 'fill';
  log: boolean;
  xKind: XKind;
  xTick?: ((value: number) => string) | undefined;
  yTick?: ((value: number) => string) | undefined;
}

/** Draws into an element, as wide as that is, again whenever the drawing, the theme or the width changes. */
export function usePlot(root: RefObject<HTMLDivElement | null>, drawing: PlotContent, look: Look): Hover | null {
  const latest = useRef(drawing);
  latest.current = drawing;
  const plot = useRef<uPlot>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const { height, log, xKind } = look;
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const made = makePlot(element, { latest, look, setHover });
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize(sizeOf(element, height)));
    sizes.observe(element);
    const deaf = onTheme(() => made.redraw(false, true));
    return () => {
      deaf();
      sizes.disconnect();
      made.destroy();
    };
    // Ticks are the same for the same kind of axis.
  }, [root, height, log, xKind]);
  useEffect(() => plot.current?.setData(extentData(drawing.fit), true), [drawing.layers, drawing.fit, drawing.hidden]);
  return hover;
}

interface Making {
  latest: RefObject<PlotContent>;
  look: Look;
  setHover: (hover: Hover | null) => void;
}

function makePlot(element: HTMLDivElement, { latest, look, setHover }: Making): uPlot {
  const { height, log, xKind, xTick, yTick } = look;
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const scaleY = (u: uPlot): [number, number] => {
    const { fit } = latest.current;
    return fit.lane ? withLane(fit.y, { log, inner: u.bbox.height / uPlot.pxRatio || u.height - 40 }) : fit.y;
  };
  const options: uPlot.Options = {
    ...sizeOf(element, height),
    padding: [8, 20, 0, 0],
    scales: {
      x: { time: false, range: () => latest.current.fit.x },
      y: { distr: log ? 3 : 1, range: scaleY },
    },
    series: [{}, { paths: () => null, points: { show: false } }],
    axes: axesOf({ xKind, font, log, xTick, yTick }),
    legend: { show: false },
    cursor: {
      ...{ x: false, y: false, points: { show: false } },
      drag: { x: true, y: true, uni: 40, dist: 4, setScale: false },
      bind: { dblclick: () => () => (latest.current.onZoom(null), null) },
    },
    hooks: {
      draw: [(u) => drawLayers(latest.current.layers, placeOf(u, latest.current))],
      setSelect: [(u) => zoomIn(u, latest.current.onZoom)],
      setCursor: [(u) => setHover(hoverOf(u, latest.current))],
    },
  };
  const made = new uPlot(options, extentData(latest.current.fit), element);
  listen(made, latest);
  return made;
}

/** Clicks pick the point at the cursor; one that ends a drag picks nothing. */
function listen(u: uPlot, latest: RefObject<PlotContent>): void {
  let from = [0, 0];
  u.over.addEventListener('mousedown', ({ clientX, clientY }) => (from = [clientX, clientY]));
  u.over.addEventListener('click', ({ clientX, clientY }) => {
    const moved = Math.hypot(clientX - (from[0] ?? 0), clientY - (from[1] ?? 0));
    const found = hoverOf(u, latest.current);
    if (moved < 4 && found) latest.current.onPick?.(found.point);
  });
}

const extentData = ({ x, y }: Fit): uPlot.AlignedData => [[...x], [...y]];

const placeOf = (u: uPlot, { fit, hidden }: PlotContent) => ({
  pen: u.ctx,
  box: u.bbox,
  ratio: uPlot.pxRatio,
  toX: (value: number) => u.valToPos(value, 'x', true),
  toY: (value: number) => u.valToPos(value, 'y', true),
  lane: fit.lane ? LANE : 0,
  hidden,
  written: { top: 0, bottom: 0 },
  font: `${12 * uPlot.pxRatio}px ${getComputedStyle(u.root).fontFamily}`,
});

/** Room for the lane below the values. */
function withLane([min, max]: [number, number], { log, inner }: { log: boolean; inner: number }): [number, number] {
  const share = LANE / Math.max(2 * LANE, inner - LANE);
  if (log) return [10 ** (Math.log10(min) - share * (Math.log10(max) - Math.log10(min))), max];
  return [min - share * (max - min), max];
}

function zoomIn(u: uPlot, onZoom: (zoom: Zoom) => void): void {
  const { left, top, width, height } = u.select;
  const box = u.over.getBoundingClientRect();
  const [wide, tall] = [width > 4 && width < box.width - 1, height > 4 && height < box.height - 1];
  if (wide || tall) {
    const x = (at: number) => u.posToVal(at, 'x');
    const y = (at: number) => u.posToVal(at, 'y');
    onZoom({ x: [x(left), x(left + width)], y: tall ? [y(top + height), y(top)] : null });
  }
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function hoverOf(u: uPlot, { layers, fit, hidden }: PlotContent): Hover | null {
  const { left = -1, top = -1 } = u.cursor;
  if (left < 0 || top < 0) return null;
  const place = placeOf(u, { fit, hidden } as PlotContent);
  const ratio = uPlot.pxRatio;
  const toX = (value: number) => u.valToPos(value, 'x');
  const toY = (value: number | null) => (placeY(value, place) - u.bbox.top) / ratio;
  const point = nearestPoint(layers, { x: left, y: top, toX, toY, hidden });
  if (point === null) return null;
  const layer = layers[point.layer];
  if (layer === undefined || layer.kind === 'level' || layer.kind === 'mark') return null;
  const followsCursor = layer.kind === 'step' || layer.kind === 'bars';
  const at = layer.y[point.index] ?? null;
  const base = layer.kind === 'bars' ? (layer.base?.[point.index] ?? 0) : 0;
  return {
    point,
    left: u.bbox.left / ratio + (followsCursor ? left : toX(layer.x[point.index] ?? 0)),
    top: u.bbox.top / ratio + toY(at === null ? null : at + base),
  };
}

/** One that is hidden has no size. */
const sizeOf = ({ clientWidth, clientHeight }: HTMLElement, height: Look['height']) => ({
  width: Math.max(50, Math.floor(clientWidth)),
  height: height === 'fill' ? Math.max(120, Math.floor(clientHeight)) : height,
});
