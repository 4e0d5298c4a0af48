import { useEffect, useRef, useState } from 'react';
import { TEXT_LIMIT } from './trials-view.ts';

/** Pause in typing after which the search begins. */
const PAUSE_MS = 300;

/** Search field for trials. Calls `onText` when a person pauses typing. */
export function Search({ text, onText }: { text: string; onText: (text: string | null) => void }) {
  const [typed, setTyped] = useState(text);
  const reported = useRef(text);
  useEffect(() => {
    // The address changed by other means, such as a link or the button that clears the filters.
    if (text !== reported.current) {
      reported.current = text;
      setTyped(text);
    }
  }, [text]);
  useEffect(() => {
    if (typed === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = typed;
      onText(typed || null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, onText]);
  return (
    <input
      type="search"
      className="search"
      value={typed}
      maxLength={TEXT_LIMIT}
      placeholder="Search ideas, reasons, failures"
      aria-label="Search in ideas, reasons and failures"
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
