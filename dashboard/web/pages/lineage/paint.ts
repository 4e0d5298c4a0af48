import type { Palette } from '../../../../view/figure/palette.ts';
import { SHAPES } from '../../../../view/figure/shapes.ts';
import { OUTCOME_SHAPE_NAMES } from '../../parts/outcome/outcome-shape-names.ts';
import { toScreen, READABLE, type Camera, type Layout, type PlacedNode } from './layout.ts';
import { nodeName, outcomeOfNode } from './node-labels.ts';
import { placeNames, type PlacedName } from './place-names.ts';

export interface Scene {
  layout: Layout;
  camera: Camera;
  /** Candidates from the baseline to the best. */
  path: ReadonlySet<string>;
  selected: number | null;
}

interface Size {
  width: number;
  height: number;
}

const SHAPE_PATHS = Object.fromEntries(
  Object.entries(SHAPES).map(([name, { path }]) => [name, new Path2D(`M0 0${path}`)]),
) as Record<keyof typeof SHAPES, Path2D>;

/** Paints the visible part of the tree. */
export function paintTree(
  pen: CanvasRenderingContext2D,
  scene: Scene,
  { size, palette }: { size: Size; palette: Palette },
) {
  const { layout, camera, path } = scene;
  const points = layout.places.map((place) => toScreen(camera, size, place));
  const onPath = ({ node }: PlacedNode) => path.has(node.candidateId);
  const draw = (chosen: boolean) => {
    pen.beginPath();
    layout.places.forEach((place, index) => {
      if (place.parent === null || onPath(place) !== chosen) return;
      const [start, end] = [points[place.parent], points[index]];
      if (start && end && inSight(start, end, size)) traceLink(pen, start, end);
    });
    pen.strokeStyle = palette(chosen ? 'accent' : 'line-strong');
    pen.lineWidth = chosen ? 2.5 : 1;
    pen.stroke();
  };
  draw(false);
  draw(true);
  layout.places.forEach((place, index) => {
    const point = points[index];
    if (!point || !inSight(point, point, size)) return;
    paintPlace(pen, { place, point, index, scene }, palette);
    paintHidden(pen, { place, point, index, scene }, palette);
  });
  const widthOf = (text: string, bold: boolean): number => {
    pen.font = fontOf(bold);
    return pen.measureText(text).width;
  };
  for (const name of placeNames({ ...scene, size, widthOf })) paintName(pen, name, palette);
}

type Point = { x: number; y: number };

function inSight(a: Point, b: Point, { width, height }: Size): boolean {
  const room = 80;
  return (
    Math.max(a.x, b.x) > -room &&
    Math.min(a.x, b.x) < width + room &&
    Math.max(a.y, b.y) > -room &&
    Math.min(a.y, b.y) < height + room
  );
}

function traceLink(pen: CanvasRenderingContext2D, start: Point, end: Point): void {
  const middle = (start.x + end.x) / 2;
  pen.moveTo(start.x, start.y);
  pen.bezierCurveTo(middle, start.y, middle, end.y, end.x, end.y);
}

interface PaintedNode {
  place: PlacedNode;
  /** Position on the screen. */
  point: Point;
  index: number;
  scene: Scene;
}

function paintPlace(
  pen: CanvasRenderingContext2D,
  { place, point, index, scene }: PaintedNode,
  palette: Palette,
): void {
  const { node } = place;
  const outcome = outcomeOfNode(node);
  const size = Math.max(0.5, Math.min(1.35, scene.camera.scale * 1.25));
  pen.save();
  pen.translate(point.x, point.y);
  if (index === scene.selected) ring(pen, { radius: 11, colour: palette('accent'), fill: palette('accent-soft') });
  else ring(pen, { radius: 6.5 * size, colour: palette('surface'), fill: palette('surface') });
  pen.scale(size, size);
  if (outcome === null) ring(pen, { radius: 4, colour: palette('ink-2') });
  else {
    const shape = OUTCOME_SHAPE_NAMES[outcome];
    const colour = palette(outcome);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = shape === 'dot' ? 7 : 1.6;
    pen.lineCap = 'round';
    if (SHAPES[shape].filled) pen.fill(SHAPE_PATHS[shape]);
    if (shape === 'dot') ring(pen, { radius: 3.2, colour, fill: colour });
    else pen.stroke(SHAPE_PATHS[shape]);
  }
  pen.restore();
}

function ring(
  pen: CanvasRenderingContext2D,
  { radius, colour, fill }: { radius: number; colour: string; fill?: string },
): void {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  if (fill !== undefined) {
    pen.fillStyle = fill;
    pen.fill();
  }
  pen.lineWidth = 1.5;
  pen.strokeStyle = colour;
  pen.stroke();
}

const fontOf = (bold: boolean): string => `${bold ? 600 : 400} 11px system-ui, sans-serif`;

function paintName(pen: CanvasRenderingContext2D, { text, x, y, chosen }: PlacedName, palette: Palette): void {
  pen.font = fontOf(chosen);
  pen.textAlign = 'left';
  pen.lineWidth = 3;
  pen.strokeStyle = palette('sunken');
  pen.strokeText(text, x, y);
  pen.fillStyle = palette(chosen ? 'ink' : 'ink-2');
  pen.fillText(text, x, y);
}

/** Paints the number of hidden candidates below a candidate. */
function paintHidden(
  pen: CanvasRenderingContext2D,
  { place, point, index, scene }: PaintedNode,
  palette: Palette,
): void {
  const { node } = place;
  const chosen = scene.path.has(node.candidateId) || index === scene.selected;
  if (node.hidden === 0 || (scene.camera.scale < READABLE && !chosen)) return;
  paintPill(pen, { text: `+${node.hidden}`, ...pillBox(pen, { place, point, chosen }) }, palette);
}

/** Box of the number of hidden candidates, to the right of the candidate's name. */
function pillBox(
  pen: CanvasRenderingContext2D,
  { place: { node }, point, chosen }: { place: PlacedNode; point: Point; chosen: boolean },
) {
  pen.font = '11px system-ui, sans-serif';
  const nameWidth = chosen ? 6 : pen.measureText(nodeName(node)).width + 6;
  return { x: point.x + 8 + nameWidth, y: point.y - 8, width: pen.measureText(`+${node.hidden}`).width + 8 };
}

function paintPill(
  pen: CanvasRenderingContext2D,
  { text, x, y, width }: { text: string; x: number; y: number; width: number },
  palette: Palette,
): void {
  pen.beginPath();
  pen.roundRect(x, y, width, 16, 8);
  pen.fillStyle = palette('surface');
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = palette('line-strong');
  pen.stroke();
  pen.fillStyle = palette('ink-2');
  pen.textAlign = 'center';
  pen.fillText(text, x + width / 2, y + 12);
}

/** Approximate width of a character at a font size of 11 pixels, to find the target of a click. */
const CHARACTER = 7;

/** Distance from a candidate, in pixels, within which a point hits the candidate. */
const HIT_RADIUS = 13;

/** The candidate at a point of the screen. `folded`: the point is on the number of hidden candidates below it. */
export function hitAt(
  { layout, camera, path }: Scene,
  size: Size,
  point: Point,
): { index: number; folded: boolean } | null {
  let found: { index: number; folded: boolean } | null = null;
  let least = HIT_RADIUS;
  layout.places.forEach((place, index) => {
    const { x, y } = toScreen(camera, size, place);
    const distance = Math.hypot(point.x - x, point.y - y);
    if (distance < least) [least, found] = [distance, { index, folded: false }];
    const { node } = place;
    if (node.hidden === 0 || Math.abs(point.y - y) > 10 || distance < 8) return;
    const pillStart = path.has(node.candidateId) ? 12 : 12 + nodeName(node).length * CHARACTER;
    const pillEnd = pillStart + 10 + String(node.hidden).length * CHARACTER + 10;
    if (point.x - x > pillStart - 4 && point.x - x < pillEnd) [least, found] = [0, { index, folded: true }];
  });
  return found;
}
