import { roundCoordinate } from './mark.ts';

/** Shapes of dots. `ring`, `triangle`, `cross` and `dash` are outlines; `dot` is a line of length 0 with round ends. */
export const SHAPES = {
  star: { path: starPath(), filled: true },
  diamond: { path: 'm0-4l4 4l-4 4l-4-4z', filled: true },
  dot: { path: 'h0', filled: false },
  square: { path: 'm-2.5-2.5h5v5h-5z', filled: true },
  ring: { path: 'm-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0', filled: false },
  triangle: { path: 'm-3-2.5h6l-3 5.5z', filled: false },
  cross: { path: 'm-2-2l4 4m0-4l-4 4', filled: false },
  dash: { path: 'm-2.5 0h5', filled: false },
} as const;
export type Shape = keyof typeof SHAPES;

/** A star with five points around the current position of the path. */
function starPath(): string {
  const points = Array.from({ length: 10 }, (_, index) => {
    const angle = (index * Math.PI) / 5 - Math.PI / 2;
    const radius = index % 2 === 0 ? 5.6 : 2.5;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  });
  const steps = points.map(([x, y], index) => {
    const [px, py] = index === 0 ? [0, 0] : (points[index - 1] ?? [0, 0]);
    return `${index === 0 ? 'm' : 'l'}${roundCoordinate(x - px)} ${roundCoordinate(y - py)}`;
  });
  return `${steps.join('')}z`;
}

/** A path with the shape at each point; points are in pixels. */
export const shapesPath = (shape: Shape, points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y]) => `M${roundCoordinate(x)} ${roundCoordinate(y)}${SHAPES[shape].path}`).join('');
