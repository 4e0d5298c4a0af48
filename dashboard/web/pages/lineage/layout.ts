import { hierarchy, tree } from 'd3-hierarchy';
import type { Node } from '../../../api/tree.ts';
import type { Forest } from './forest.ts';

/** A candidate with its position in the layout, in unscaled pixels. */
export interface PlacedNode {
  node: Node;
  x: number;
  y: number;
  /** Index of the parent in `places`; null for a root. */
  parent: number | null;
  depth: number;
}

export interface Layout {
  places: readonly PlacedNode[];
  /** Index of each candidate in `places`. */
  indexOf: ReadonlyMap<string, number>;
  box: { left: number; right: number; top: number; bottom: number };
}

/** Distance between two siblings and between two generations, in pixels. */
const SPACING = { sibling: 34, generation: 132 };

interface Item {
  id: string | null;
  children: Item[];
}

/**
 * Lays out a tidy tree from left to right, with a column for each generation. Siblings are ordered by age, the oldest
 * on top. A sibling on the `path` is in the middle, so that the path to the best is nearly straight.
 */
export function layoutOf({ byId, roots }: Forest, path: ReadonlySet<string>): Layout {
  const onPath = ({ data }: { data: Item }): boolean => data.id !== null && path.has(data.id);
  const itemOf = (id: string): Item => ({ id, children: inOrder(byId.get(id)?.children ?? []).map(itemOf) });
  const inOrder = (ids: readonly string[]): string[] => {
    const oldest = ids.filter((id) => !path.has(id)).sort((a, b) => numberOf(a, byId) - numberOf(b, byId));
    oldest.splice(Math.ceil(oldest.length / 2), 0, ...ids.filter((id) => path.has(id)));
    return oldest;
  };
  const top = hierarchy<Item>({ id: null, children: inOrder(roots).map(itemOf) });
  const laid = tree<Item>()
    .nodeSize([SPACING.sibling, SPACING.generation])
    .separation((a, b) => (onPath(a) || onPath(b) ? 1.5 : 1))(top);
  const places: PlacedNode[] = [];
  const indexOf = new Map<string, number>();
  laid.eachBefore((point) => {
    const shown = point.data.id === null ? undefined : byId.get(point.data.id);
    if (!shown) return;
    indexOf.set(shown.node.candidateId, places.length);
    const parent = shown.parent === null ? null : (indexOf.get(shown.parent) ?? null);
    const x = (point.depth - 1) * SPACING.generation;
    places.push({ node: shown.node, x, y: point.x, parent, depth: point.depth });
  });
  return { places, indexOf, box: boxOf(places) };
}

const numberOf = (id: string | null, byId: Forest['byId']): number =>
  (id === null ? null : byId.get(id)?.node.n) ?? Infinity;

function boxOf(places: readonly PlacedNode[]): Layout['box'] {
  const box = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const { x, y } of places) {
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

/** Index of the candidate that an arrow key selects: up, down: same generation; left: parent; right: first child. */
export function neighbourOf({ places }: Layout, start: number, way: 'up' | 'down' | 'left' | 'right'): number {
  const here = places[start];
  if (!here) return 0;
  if (way === 'left') return here.parent ?? start;
  if (way === 'right') {
    const child = places.findIndex(({ parent }) => parent === start);
    return child < 0 ? start : child;
  }
  let nearest = start;
  let least = Infinity;
  places.forEach(({ depth, y }, index) => {
    const distance = way === 'down' ? y - here.y : here.y - y;
    if (depth === here.depth && distance > 0 && distance < least) [nearest, least] = [index, distance];
  });
  return nearest;
}

/** The part of the layout that a canvas shows: the scale and the point of the layout at the canvas's centre. */
export interface Camera {
  scale: number;
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

/** Camera that shows the whole layout, at most at its natural size. */
export function fitCamera({ box }: Layout, size: Size): Camera {
  const [width, height] = [box.right - box.left + 220, box.bottom - box.top + 60];
  const scale = Math.min(1, size.width / width, size.height / height);
  return { scale: Math.max(0.05, scale), x: (box.left + box.right) / 2 + 40, y: (box.top + box.bottom) / 2 };
}

/** Least scale with room for names. */
export const READABLE = 0.6;

/** Camera that shows the whole layout if that is readable; otherwise the part around the best. */
export function readableCamera(layout: Layout, size: Size, best: string | undefined): Camera {
  const whole = fitCamera(layout, size);
  const place = layout.places[layout.indexOf.get(best ?? '') ?? 0];
  if (whole.scale >= READABLE || !place) return whole;
  // The ancestors of the best are to its left, so the best is right of the centre.
  return { scale: READABLE, x: place.x - size.width / READABLE / 2 + 240, y: place.y };
}

export const toScreen = (
  camera: Camera,
  size: { width: number; height: number },
  { x, y }: { x: number; y: number },
) => ({
  x: (x - camera.x) * camera.scale + size.width / 2,
  y: (y - camera.y) * camera.scale + size.height / 2,
});

/** Least distance between a name and the left edge, in pixels. */
const EDGE = 4;

/**
 * Position at which a candidate's name begins. A `chosen` candidate has a line to its right, so its name is above the
 * candidate. A root's name is further left, so that it does not overlap the child's name. The left edge cuts no name of
 * a visible candidate.
 */
export function namePosition(
  { x, y }: { x: number; y: number },
  { chosen, root }: { chosen: boolean; root: boolean },
): { x: number; y: number } {
  if (!chosen) return { x: x + 9, y: y + 4 };
  const start = x - (root ? 40 : 4);
  return { x: x < 0 ? start : Math.max(EDGE, start), y: y - 11 };
}

/** Zooms by a factor around a point, given in pixels from the canvas's centre. */
export function zoomCamera(camera: Camera, factor: number, point: { x: number; y: number }): Camera {
  const scale = Math.min(3, Math.max(0.05, camera.scale * factor));
  const kept = 1 / camera.scale - 1 / scale;
  return { scale, x: camera.x + point.x * kept, y: camera.y + point.y * kept };
}
