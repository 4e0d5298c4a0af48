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

/** Time in which a second click makes a double click: a click on a zoomed plot waits for it. */
const DOUBLE_CLICK_MS = 350;

/** Content of a plot, which reads the newest one whenever it draws. */
export interface PlotContent {
  layers: readonly Layer[];
  fit: Fit;
  hidden: ReadonlySet<string>;
  /** True if the plot shows a part that a person chose, so that a double click shows all. */
  zoomed: boolean;
  onZoom: (zoom: Zoom | null) => void;
  onPick?: ((point: Point) => void) | undefined;
}

/** The point under the cursor, with its position in CSS pixels from the top left corner of the chart. */
export interface Hover {
  point: Point;
  left: number;
  top: number;
}

interface PlotStyle {
  /** Height in CSS pixels; `fill`: the height of the element around the plot. */
  height: number | 'fill';
  log: boolean;
  xKind: XKind;
  xTick?: ((value: number) => string) | undefined;
  yTick?: ((value: number) => string) | undefined;
}

/** Draws a plot into an element, in its width. Draws again when the content, the theme or the size changes. */
export function usePlot(root: RefObject<HTMLDivElement | null>, drawing: PlotContent, style: PlotStyle): Hover | null {
  const latest = useRef(drawing);
  latest.current = drawing;
  const plot = useRef<uPlot>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const { height, log, xKind } = style;
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const made = makePlot(element, { latest, style, setHover });
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize(sizeOf(element, height)));
    sizes.observe(element);
    const unsubscribe = onTheme(() => made.redraw(false, true));
    return () => {
      unsubscribe();
      sizes.disconnect();
      made.destroy();
    };
    // The texts of the ticks depend on the kind of axis alone, so xTick and yTick need not be dependencies.
  }, [root, height, log, xKind]);
  useEffect(() => plot.current?.setData(extentData(drawing.fit), true), [drawing.layers, drawing.fit, drawing.hidden]);
  return hover;
}

interface PlotInput {
  latest: RefObject<PlotContent>;
  style: PlotStyle;
  setHover: (hover: Hover | null) => void;
}

function makePlot(element: HTMLDivElement, { latest, style, setHover }: PlotInput): uPlot {
  const { height, log, xKind, xTick, yTick } = style;
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
      x: false,
      y: false,
      points: { show: false },
      drag: { x: true, y: true, uni: 40, dist: 4, setScale: false },
      bind: {
        dblclick: () => () => {
          latest.current.onZoom(null);
          return null;
        },
      },
    },
    hooks: {
      init: [(u) => pickOnClick(u, latest)],
      draw: [(u) => drawLayers(latest.current.layers, drawingAreaOf(u, latest.current))],
      setSelect: [(u) => zoomIn(u, latest.current.onZoom)],
      setCursor: [(u) => setHover(hoverOf(u, latest.current))],
    },
  };
  return new uPlot(options, extentData(latest.current.fit), element);
}

/**
 * Calls `onPick` for a click at a point. A click that ends a drag picks nothing. On a zoomed plot, the first click of a
 * double click picks nothing either, since a double click shows all, and a dense plot has a point under each click.
 */
function pickOnClick(u: uPlot, latest: RefObject<PlotContent>): void {
  let from = [0, 0];
  let waiting: ReturnType<typeof setTimeout> | undefined;
  u.over.addEventListener('mousedown', ({ clientX, clientY }) => (from = [clientX, clientY]));
  u.over.addEventListener('click', ({ clientX, clientY, detail }) => {
    clearTimeout(waiting);
    const moved = Math.hypot(clientX - (from[0] ?? 0), clientY - (from[1] ?? 0));
    const found = hoverOf(u, latest.current);
    if (moved >= 4 || !found || detail > 1) return;
    const pick = () => latest.current.onPick?.(found.point);
    if (latest.current.zoomed) waiting = setTimeout(pick, DOUBLE_CLICK_MS);
    else pick();
  });
  (u.hooks.destroy ??= []).push(() => clearTimeout(waiting));
}

const extentData = ({ x, y }: Fit): uPlot.AlignedData => [[...x], [...y]];

const drawingAreaOf = (u: uPlot, { fit, hidden }: PlotContent) => ({
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

/** Extends the range downwards by the height of the lane. `inner`: height of the plot in CSS pixels. */
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
  const area = drawingAreaOf(u, { fit, hidden } as PlotContent);
  const ratio = uPlot.pxRatio;
  const toX = (value: number) => u.valToPos(value, 'x');
  const toY = (value: number | null) => (placeY(value, area) - u.bbox.top) / ratio;
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

/** Size of the plot. An element that is hidden has the size 0, so each side has a least length. */
const sizeOf = ({ clientWidth, clientHeight }: HTMLElement, height: PlotStyle['height']) => ({
  width: Math.max(50, Math.floor(clientWidth)),
  height: height === 'fill' ? Math.max(120, Math.floor(clientHeight)) : height,
});
