import { formatValue } from '../../../../domain/text/format.ts';
import type { Palette } from '../../../../view/figure/palette.ts';
import { SHAPES } from '../../../../view/figure/shapes.ts';
import { OUTCOME_SHAPE_NAMES } from '../../parts/outcome/outcome-shape-names.ts';
import { namePosition, toScreen, READABLE, type Camera, type Layout, type PlacedNode } from './layout.ts';
import { nodeName, outcomeOfNode } from './node-labels.ts';

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

/** The tree as far as it is in sight. */
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
      const [from, to] = [points[place.parent], points[index]];
      if (from && to && inSight(from, to, size)) link(pen, from, to);
    });
    pen.strokeStyle = palette(chosen ? 'accent' : 'line-strong');
    pen.lineWidth = chosen ? 2.5 : 1;
    pen.stroke();
  };
  draw(false);
  draw(true);
  layout.places.forEach((place, index) => {
    const point = points[index];
    if (point && inSight(point, point, size)) paintPlace(pen, { place, point, index, scene }, palette);
  });
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

function link(pen: CanvasRenderingContext2D, from: Point, to: Point): void {
  const middle = (from.x + to.x) / 2;
  pen.moveTo(from.x, from.y);
  pen.bezierCurveTo(middle, from.y, middle, to.y, to.x, to.y);
}

interface At {
  place: PlacedNode;
  point: Point;
  index: number;
  scene: Scene;
}

function paintPlace(pen: CanvasRenderingContext2D, { place, point, index, scene }: At, palette: Palette): void {
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
    const form = OUTCOME_SHAPE_NAMES[outcome];
    const colour = palette(outcome);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = form === 'dot' ? 7 : 1.6;
    pen.lineCap = 'round';
    if (SHAPES[form].filled) pen.fill(SHAPE_PATHS[form]);
    if (form === 'dot') ring(pen, { radius: 3.2, colour, fill: colour });
    else pen.stroke(SHAPE_PATHS[form]);
  }
  pen.restore();
  names(pen, { place, point, index, scene }, palette);
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

/** Its number, its value, and how many are folded below it. */
function names(pen: CanvasRenderingContext2D, { place, point, index, scene }: At, palette: Palette): void {
  const { node } = place;
  const chosen = scene.path.has(node.candidateId) || index === scene.selected;
  if (scene.camera.scale < READABLE && !chosen) return;
  pen.font = `${chosen ? 600 : 400} 11px system-ui, sans-serif`;
  pen.textAlign = 'left';
  pen.fillStyle = palette(chosen ? 'ink' : 'ink-2');
  const value = chosen && node.value !== null ? ` ${formatValue(node.value)}` : '';
  const name = `${nodeName(node)}${value}`;
  const { x, y } = namePosition(point, { chosen, root: place.parent === null });
  pen.lineWidth = 3;
  pen.strokeStyle = palette('sunken');
  pen.strokeText(name, x, y);
  pen.fillText(name, x, y);
  if (node.hidden > 0) pill(pen, { words: `+${node.hidden}`, ...pillOf(pen, { place, point, chosen }) }, palette);
}

/** Where the count of what is folded below a candidate stands: behind its name. */
function pillOf(
  pen: CanvasRenderingContext2D,
  { place: { node }, point, chosen }: { place: PlacedNode; point: Point; chosen: boolean },
) {
  pen.font = '11px system-ui, sans-serif';
  const before = chosen ? 6 : pen.measureText(nodeName(node)).width + 6;
  return { x: point.x + 8 + before, y: point.y - 8, width: pen.measureText(`+${node.hidden}`).width + 8 };
}

function pill(
  pen: CanvasRenderingContext2D,
  { words, x, y, width }: { words: string; x: number; y: number; width: number },
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
  pen.fillText(words, x + width / 2, y + 12);
}

/** Characters of 11 pixels are about so wide: where a finger or pointer may hit a count. */
const CHARACTER = 7;

/** What lies under a point of the screen: a candidate, or the count of what is folded below it. */
export function hitAt(
  { layout, camera, path }: Scene,
  size: Size,
  point: Point,
): { index: number; folded: boolean } | null {
  let found: { index: number; folded: boolean } | null = null;
  let least = 13;
  layout.places.forEach((place, index) => {
    const { x, y } = toScreen(camera, size, place);
    const far = Math.hypot(point.x - x, point.y - y);
    if (far < least) [least, found] = [far, { index, folded: false }];
    const { node } = place;
    if (node.hidden === 0 || Math.abs(point.y - y) > 10 || far < 8) return;
    const from = path.has(node.candidateId) ? 12 : 12 + nodeName(node).length * CHARACTER;
    const to = from + 10 + String(node.hidden).length * CHARACTER + 10;
    if (point.x - x > from - 4 && point.x - x < to) [least, found] = [0, { index, folded: true }];
  });
  return found;
}
