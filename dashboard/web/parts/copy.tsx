import { useState } from 'react';

type State = 'ready' | 'copied' | 'refused';
const LABELS: Record<State, string> = { ready: 'Copy', copied: 'Copied', refused: 'Not allowed here' };

/** Button that copies a text unchanged, with its hidden characters. `name` names the text to screen readers. */
export function Copy({ text, name }: { text: string; name: string }) {
  const [state, setState] = useState<State>('ready');
  const show = (next: State): void => {
    setState(next);
    setTimeout(() => setState('ready'), 2000);
  };
  const copy = (): void => {
    // TypeScript's type is never undefined, but the clipboard exists in secure contexts only.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard)
      clipboard.writeText(text).then(
        () => show('copied'),
        () => show('refused'),
      );
    else show('refused');
  };
  return (
    <button type="button" className="button small" onClick={copy} aria-label={`Copy ${name}`}>
      {LABELS[state]}
    </button>
  );
}
