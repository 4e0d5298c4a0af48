import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { pageColours } from '../../parts/drawing/page-colours.ts';
import { useCanvas } from '../../parts/drawing/use-canvas.ts';
import { useSize } from '../../parts/drawing/use-size.ts';
import { fitCamera, readableCamera, neighbourOf, zoomCamera, toScreen, type Camera, type Layout } from './layout.ts';
import { hitAt, paintTree, type Scene } from './paint.ts';

interface Props {
  layout: Layout;
  path: ReadonlySet<string>;
  /** The candidate at the centre of the first view. */
  best: string | undefined;
  /** Index of the selected candidate. */
  selected: number | null;
  select: (index: number) => void;
  /** Opens the candidate's trial. */
  open: (index: number) => void;
  /** Unfolds the hidden candidates below the candidate. */
  unfold: (index: number) => void;
}

const WAYS = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;

/**
 * The tree on a canvas. Hovering selects a candidate, a click opens its trial, and a drag moves the tree. The wheel
 * with Ctrl and the buttons zoom. Arrow keys select a neighbour, Enter opens its trial, Space unfolds.
 */
export function TreeCanvas({ layout, path, best, selected, select, open, unfold }: Props) {
  const [box, size] = useSize<HTMLDivElement>();
  const [moved, setMoved] = useState<Camera | null>(null);
  const dragged = useRef<{ x: number; y: number; camera: Camera; far: boolean } | null>(null);
  const camera = useMemo(
    () => moved ?? (size ? readableCamera(layout, size, best) : null),
    [moved, size, layout, best],
  );
  const lastLayout = useRef(layout);
  // When the layout changes, the camera follows the selected candidate, so that it stays at its place on the screen.
  useEffect(() => {
    const old = lastLayout.current;
    lastLayout.current = layout;
    const id = selected === null ? layout.places[0]?.node.candidateId : layout.places[selected]?.node.candidateId;
    if (old === layout || id === undefined) return;
    const [was, is] = [old.places[old.indexOf.get(id) ?? -1], layout.places[layout.indexOf.get(id) ?? -1]];
    if (was && is) setMoved((now) => now && { ...now, x: now.x + is.x - was.x, y: now.y + is.y - was.y });
  }, [layout, selected]);
  const scene = useMemo<Scene | null>(
    () => (camera ? { layout, camera, path, selected } : null),
    [layout, camera, path, selected],
  );
  const paint = useCallback(
    (pen: CanvasRenderingContext2D, painted: { width: number; height: number }) => {
      if (scene) paintTree(pen, scene, { size: painted, palette: pageColours() });
    },
    [scene],
  );
  const canvas = useCanvas(size, paint);
  const zoom = useCallback(
    (factor: number, point = { x: 0, y: 0 }) => camera && setMoved(zoomCamera(camera, factor, point)),
    [camera],
  );

  // React registers wheel listeners as passive, and a passive listener cannot prevent scrolling.
  useEffect(() => {
    const element = box.current;
    if (!element || !size) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const rect = element.getBoundingClientRect();
      const point = { x: event.clientX - rect.left - size.width / 2, y: event.clientY - rect.top - size.height / 2 };
      zoom(Math.exp(-event.deltaY / 300), point);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, size, zoom]);

  const pointOf = (event: PointerEvent) => {
    const rect = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };
  const down = (event: PointerEvent) => {
    if (!camera) return;
    dragged.current = { x: event.clientX, y: event.clientY, camera, far: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const drag = dragged.current;
    if (!drag) {
      const hit = scene && size && event.pointerType === 'mouse' ? hitAt(scene, size, pointOf(event)) : null;
      event.currentTarget.dataset['over'] = hit ? 'node' : '';
      if (hit && hit.index !== selected) select(hit.index);
      return;
    }
    const [across, along] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.far ||= Math.hypot(across, along) > 4;
    const { scale, x, y } = drag.camera;
    if (drag.far) setMoved({ scale, x: x - across / scale, y: y - along / scale });
  };
  const up = (event: PointerEvent) => {
    const drag = dragged.current;
    dragged.current = null;
    if (!drag || drag.far || !scene || !size) return;
    const hit = hitAt(scene, size, pointOf(event));
    if (!hit) return;
    // A touch has no hover: the first tap selects a candidate, the second one opens its trial.
    if (hit.folded) unfold(hit.index);
    else if (hit.index === selected || event.pointerType === 'mouse') open(hit.index);
    else select(hit.index);
  };
  const key = (event: KeyboardEvent) => {
    const way = WAYS[event.key as keyof typeof WAYS] as (typeof WAYS)[keyof typeof WAYS] | undefined;
    const here = selected ?? 0;
    if (way) reach(selected === null ? 0 : neighbourOf(layout, here, way));
    else if (event.key === 'Enter' && selected !== null) open(selected);
    else if (event.key === ' ' && selected !== null) unfold(selected);
    else if (event.key === '+' || event.key === '=') zoom(1.3);
    else if (event.key === '-') zoom(1 / 1.3);
    else return;
    event.preventDefault();
  };
  /** Selects a candidate. If it is outside the view, the camera moves to it. */
  const reach = (index: number) => {
    select(index);
    const place = layout.places[index];
    if (!place || !camera || !size) return;
    const { x, y } = toScreen(camera, size, place);
    if (x < 20 || y < 20 || x > size.width - 20 || y > size.height - 20)
      setMoved({ ...camera, x: place.x, y: place.y });
  };

  return (
    <div className="tree">
      <div
        ref={box}
        className="tree-plane"
        style={{ height: `min(54vh, ${Math.max(160, layout.box.bottom - layout.box.top + 140)}px)` }}
        role="application"
        aria-label="Tree of candidates. Arrow keys move, Enter opens the trial, Space unfolds, plus and minus zoom."
        tabIndex={0}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onKeyDown={key}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <span className="tree-zoom">
        <button type="button" className="button" aria-label="Zoom in" onClick={() => zoom(1.4)}>
          +
        </button>
        <button type="button" className="button" aria-label="Zoom out" onClick={() => zoom(1 / 1.4)}>
          −
        </button>
        <button type="button" className="button" onClick={() => size && setMoved(fitCamera(layout, size))}>
          Fit
        </button>
      </span>
    </div>
  );
}
