import { formatValue } from '../../parts/numbers.ts';
import { namePosition, READABLE, toScreen, type Camera, type Layout } from './layout.ts';
import { nodeName } from './node-labels.ts';

/** A candidate's name on the screen. */
export interface PlacedName {
  index: number;
  text: string;
  x: number;
  y: number;
  /** True for the selected candidate and those on the path to the best. */
  chosen: boolean;
}

interface Input {
  layout: Layout;
  camera: Camera;
  path: ReadonlySet<string>;
  selected: number | null;
  size: { width: number; height: number };
  /** Width of a text in pixels. */
  widthOf: (text: string, chosen: boolean) => number;
}

/** Height of a name, and the least distance between two names on a line, in pixels. */
const LINE = 14;
const GAP = 6;

/**
 * Places the names so that none overlaps another. The selected candidate, the best and the baseline come first, then
 * the path from the best backwards, then all others. A chosen candidate has its value, its number alone if there is no
 * room for both, and no name if there is room for neither.
 */
export function placeNames({ layout, camera, path, selected, size, widthOf }: Input): PlacedName[] {
  const { places } = layout;
  const isChosen = (index: number): boolean => index === selected || path.has(places[index]?.node.candidateId ?? '');
  const rank = (index: number): number => {
    const place = places[index];
    if (index === selected) return -3;
    if (place?.node.role === 'best') return -2;
    if (place?.parent === null) return -1;
    return isChosen(index) ? 1 / (1 + (place?.depth ?? 0)) : 1;
  };
  const order = places
    .map((_, index) => index)
    .filter((index) => camera.scale >= READABLE || isChosen(index))
    .sort((one, other) => rank(one) - rank(other));
  const taken: { left: number; right: number; y: number }[] = [];
  const placed: PlacedName[] = [];
  for (const index of order) {
    const place = places[index];
    if (!place) continue;
    const point = toScreen(camera, size, place);
    if (point.x < -80 || point.y < -80 || point.x > size.width + 80 || point.y > size.height + 80) continue;
    const chosen = isChosen(index);
    const { x, y } = namePosition(point, { chosen, root: place.parent === null });
    const name = nodeName(place.node);
    const texts = chosen && place.node.value !== null ? [`${name} ${formatValue(place.node.value)}`, name] : [name];
    const fitting = texts.find((text) => {
      const right = x + widthOf(text, chosen) + GAP;
      return !taken.some((other) => x < other.right && right > other.left && Math.abs(y - other.y) < LINE);
    });
    if (fitting === undefined) continue;
    taken.push({ left: x, right: x + widthOf(fitting, chosen) + GAP, y });
    placed.push({ index, text: fitting, x, y, chosen });
  }
  return placed;
}
