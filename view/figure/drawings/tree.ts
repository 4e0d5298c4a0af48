import { textMark } from '../axes.ts';
import { roundCoordinate, mark, type Drawing, type Mark } from '../mark.ts';
import type { Palette, Role } from '../palette.ts';
import { shapesPath, SHAPES, type Shape } from '../shapes.ts';

export interface DrawnNode {
  x: number;
  y: number;
  /** Index of the parent; null for a root. */
  parent: number | null;
  /** On the way to the best. */
  chosen: boolean;
  words: string;
  /** Candidates that are folded below it. */
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

/** A tree from left to right: its links, a shape for each candidate, its name. */
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
        return `M${roundCoordinate(x(parent))} ${roundCoordinate(y(parent))}C${middle} ${roundCoordinate(y(parent))} ${middle} ${roundCoordinate(y(place))} ${roundCoordinate(x(place))} ${roundCoordinate(y(place))}`;
      })
      .join('');
  return {
    ...{ width, height, title },
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
  return [
    mark('circle', { cx: roundCoordinate(x), cy: roundCoordinate(y), r: 6.5, fill: palette('surface') }),
    mark('path', { d: shapesPath(shape, [[x, y]]), fill, stroke: colour, ...line }),
    textMark({ x, y: y - 9, anchor: 'middle', size: 10, fill: palette(chosen ? 'ink' : 'ink-2') }, words),
    // Below the line that goes on to the best, else beside its own shape.
    ...(folded === 0
      ? []
      : [
          textMark(
            { x: chosen ? x : x + 11, y: chosen ? y + 18 : y + 4, size: 10, fill: palette('ink-2') },
            `+${folded} below`,
          ),
        ]),
  ];
}
