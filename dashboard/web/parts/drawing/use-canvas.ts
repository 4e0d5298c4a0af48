import { useEffect, useRef, type RefObject } from 'react';
import type { Size } from './use-size.ts';

/** Paints a canvas in the next frame after `paint`, the size or the theme changes. */
export function useCanvas(
  size: Size | null,
  paint: (pen: CanvasRenderingContext2D, size: Size) => void,
): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    const pen = canvas?.getContext('2d');
    if (!canvas || !pen || !size || size.width === 0) return;
    let frame = 0;
    const draw = () => {
      const ratio = devicePixelRatio;
      const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, size.width, size.height);
      paint(pen, size);
    };
    const schedule = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    schedule();
    addEventListener('themechange', schedule);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('themechange', schedule);
    };
  }, [size, paint]);
  return ref;
}
