import { useSyncExternalStore } from 'react';

/** What else stands on the screen, and the least and the most that the curve takes; in CSS pixels. */
const OTHERS = 660;
const [LEAST, MOST] = [236, 440];

const subscribe = (heard: () => void) => {
  addEventListener('resize', heard);
  return () => removeEventListener('resize', heard);
};

/** The height of the curve that leaves room for the rest on one screen. */
export const useRoom = (): number =>
  useSyncExternalStore(subscribe, () => Math.min(MOST, Math.max(LEAST, innerHeight - OTHERS)));
