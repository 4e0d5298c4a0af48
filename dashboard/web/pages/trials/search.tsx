import { useEffect, useRef, useState } from 'react';
import { TEXT_LIMIT } from './trials-view.ts';

/** Until a person pauses to type. */
const PAUSE_MS = 300;

/** A field for a text that trials are looked for by; it tells when a person pauses. */
export function Search({ text, onText }: { text: string; onText: (text: string | null) => void }) {
  const [typed, setTyped] = useState(text);
  const told = useRef(text);
  useEffect(() => {
    // The address changed by other means: a link, or all filters cleared.
    if (text !== told.current) {
      told.current = text;
      setTyped(text);
    }
  }, [text]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => {
      told.current = typed;
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
