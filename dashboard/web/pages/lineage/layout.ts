import { hierarchy, tree } from 'd3-hierarchy';
import type { Node } from '../../../api/tree.ts';
import type { Forest } from './forest.ts';

/** Where a candidate stands, in pixels of a drawing that is not scaled. */
export interface PlacedNode {
  node: Node;
  x: number;
  y: number;
  /** Index of the parent's place; null for a root. */
  parent: number | null;
  depth: number;
}

export interface Layout {
  places: readonly PlacedNode[];
  /** By candidate, the index of its place. */
  indexOf: ReadonlyMap<string, number>;
  box: { left: number; right: number; top: number; bottom: number };
}

/** Pixels between two siblings and between two generations. */
const APART = { sibling: 34, generation: 132 };

interface Item {
  id: string | null;
  children: Item[];
}

/**
 * A tidy tree from left to right: a generation is a column. Of one parent the oldest child stands on top, but the one on the
 * `path` in the middle, so that the way to the best is nearly straight. Roots stand below each other.
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
    .nodeSize([APART.sibling, APART.generation])
    .separation((a, b) => (onPath(a) || onPath(b) ? 1.5 : 1))(top);
  const places: PlacedNode[] = [];
  const indexOf = new Map<string, number>();
  laid.eachBefore((point) => {
    const shown = point.data.id === null ? undefined : byId.get(point.data.id);
    if (!shown) return;
    indexOf.set(shown.node.candidateId, places.length);
    const parent = shown.parent === null ? null : (indexOf.get(shown.parent) ?? null);
    places.push({ node: shown.node, x: (point.depth - 1) * APART.generation, y: point.x, parent, depth: point.depth });
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

/** The next place for an arrow key: up and down in its generation, left to the parent, right to the first child. */
export function neighbourOf({ places }: Layout, from: number, way: 'up' | 'down' | 'left' | 'right'): number {
  const here = places[from];
  if (!here) return 0;
  if (way === 'left') return here.parent ?? from;
  if (way === 'right') {
    const child = places.findIndex(({ parent }) => parent === from);
    return child < 0 ? from : child;
  }
  let best = from;
  let least = Infinity;
  places.forEach(({ depth, y }, index) => {
    const far = way === 'down' ? y - here.y : here.y - y;
    if (depth === here.depth && far > 0 && far < least) [best, least] = [index, far];
  });
  return best;
}

/** A part of the plane that a canvas shows: `scale` pixels for one, and where its middle lies. */
export interface Camera {
  scale: number;
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

/** All of it, no larger than it is. */
export function fitCamera({ box }: Layout, size: Size): Camera {
  const [width, height] = [box.right - box.left + 220, box.bottom - box.top + 60];
  const scale = Math.min(1, size.width / width, size.height / height);
  return { scale: Math.max(0.05, scale), x: (box.left + box.right) / 2 + 40, y: (box.top + box.bottom) / 2 };
}

/** Below this there is no room for names. */
export const READABLE = 0.6;

/** All of it where it can be read so; else as much of it around the best as can be read. */
export function readableCamera(layout: Layout, size: Size, best: string | undefined): Camera {
  const whole = fitCamera(layout, size);
  const place = layout.places[layout.indexOf.get(best ?? '') ?? 0];
  if (whole.scale >= READABLE || !place) return whole;
  // What led to the best lies left of it.
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

/** Pixels that a name keeps to the left edge. */
const EDGE = 4;

/**
 * Where the name of a candidate begins. On the way to the best the line goes on to the right: the name stands above it, that of
 * a root to the left of its child's. The edge cuts no name of a candidate that is in sight.
 */
export function namePosition(
  { x, y }: { x: number; y: number },
  { chosen, root }: { chosen: boolean; root: boolean },
): { x: number; y: number } {
  if (!chosen) return { x: x + 9, y: y + 4 };
  const from = x - (root ? 40 : 4);
  return { x: x < 0 ? from : Math.max(EDGE, from), y: y - 11 };
}

/** Zooms so that the point of the screen stays where it is. */
export function zoomCamera(camera: Camera, by: number, point: { x: number; y: number }): Camera {
  const scale = Math.min(3, Math.max(0.05, camera.scale * by));
  const kept = 1 / camera.scale - 1 / scale;
  return { scale, x: camera.x + point.x * kept, y: camera.y + point.y * kept };
}
