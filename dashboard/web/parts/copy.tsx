import { useState } from 'react';

type State = 'ready' | 'copied' | 'refused';
const WORDS: Record<State, string> = { ready: 'Copy', copied: 'Copied', refused: 'Not allowed here' };

/** Copies a text as it was, hidden characters too. A browser gives plain HTTP from another machine no clipboard. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<State>('ready');
  const tell = (next: State): void => {
    setState(next);
    setTimeout(() => setState('ready'), 2000);
  };
  const copy = (): void => {
    // The types promise one; only secure pages have it.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard)
      clipboard.writeText(text).then(
        () => tell('copied'),
        () => tell('refused'),
      );
    else tell('refused');
  };
  return (
    <button type="button" className="button small" onClick={copy} aria-label={`Copy ${what}`}>
      {WORDS[state]}
    </button>
  );
}
