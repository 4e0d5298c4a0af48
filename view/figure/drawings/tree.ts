import { textMark } from '../axes.ts';
import { roundCoordinate, mark, type Drawing, type Mark } from '../mark.ts';
import type { Palette, Role } from '../palette.ts';
import { shapesPath, SHAPES, type Shape } from '../shapes.ts';

export interface DrawnNode {
  x: number;
  y: number;
  /** Index of the parent; null for a root. */
  parent: number | null;
  /** True: on the path from the root to the best candidate. */
  chosen: boolean;
  words: string;
  /** Number of candidates that are folded below this node. */
  folded: number;
  shape: Shape;
  role: Role;
}

export interface TreeDrawing {
  title: string;
  box: { left: number; right: number; top: number; bottom: number };
  places: readonly DrawnNode[];
}

const ROOM = { left: 60, right: 110, top: 30, bottom: 30 };

/** A tree from left to right, with links, and a shape and a name for each candidate. */
export function treeDrawing({ title, box, places }: TreeDrawing, palette: Palette): Drawing {
  const x = (place: DrawnNode) => place.x - box.left + ROOM.left;
  const y = (place: DrawnNode) => place.y - box.top + ROOM.top;
  const [width, height] = [
    Math.ceil(box.right - box.left + ROOM.left + ROOM.right),
    Math.ceil(box.bottom - box.top + ROOM.top + ROOM.bottom),
  ];
  const links = (chosen: boolean) =>
    places
      .map((place) => {
        const parent = place.parent === null ? undefined : places[place.parent];
        if (!parent || place.chosen !== chosen) return '';
        const middle = roundCoordinate((x(parent) + x(place)) / 2);
        const [startX, startY] = [roundCoordinate(x(parent)), roundCoordinate(y(parent))];
        const [endX, endY] = [roundCoordinate(x(place)), roundCoordinate(y(place))];
        return `M${startX} ${startY}C${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`;
      })
      .join('');
  return {
    width,
    height,
    title,
    marks: [
      mark('rect', { width, height, fill: palette('surface') }),
      mark('path', { d: links(false), fill: 'none', stroke: palette('line-strong') }),
      mark('path', { d: links(true), fill: 'none', stroke: palette('accent'), 'stroke-width': 2.5 }),
      ...places.flatMap((place) => placeMarks(place, { x: x(place), y: y(place) }, palette)),
    ],
  };
}

function placeMarks(place: DrawnNode, { x, y }: { x: number; y: number }, palette: Palette): Mark[] {
  const { shape, role, words, folded, chosen } = place;
  const colour = palette(role);
  const line = shape === 'dot' ? { 'stroke-width': 7, 'stroke-linecap': 'round' } : { 'stroke-width': 1.5 };
  const fill = SHAPES[shape].filled ? colour : 'none';
  const marks = [
    mark('circle', { cx: roundCoordinate(x), cy: roundCoordinate(y), r: 6.5, fill: palette('surface') }),
    mark('path', { d: shapesPath(shape, [[x, y]]), fill, stroke: colour, ...line }),
    textMark({ x, y: y - 9, anchor: 'middle', size: 10, fill: palette(chosen ? 'ink' : 'ink-2') }, words),
  ];
  if (folded > 0) {
    // A chosen node has a link at its right, so that the text is below the shape instead of beside it.
    const position = chosen ? { x, y: y + 18 } : { x: x + 11, y: y + 4 };
    marks.push(textMark({ ...position, size: 10, fill: palette('ink-2') }, `+${folded} below`));
  }
  return marks;
}
