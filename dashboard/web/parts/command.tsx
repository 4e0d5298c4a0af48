import { useRef, useState } from 'react';

type State = 'ready' | 'copied' | 'selected';
const WORDS: Record<State, string> = { ready: 'Copy', copied: 'Copied', selected: 'Selected: press Ctrl-C' };

/**
 * A command of a person's, to copy: the page itself changes nothing. A browser that gives no clipboard, as over plain HTTP from
 * another machine, has it selected instead.
 */
export function Command({ command, label }: { command: string; label?: string }) {
  const [state, setState] = useState<State>('ready');
  const code = useRef<HTMLElement>(null);
  const tell = (next: State): void => {
    setState(next);
    setTimeout(() => setState('ready'), 4000);
  };
  const select = (): void => {
    if (code.current) getSelection()?.selectAllChildren(code.current);
    tell('selected');
  };
  const copy = (): void => {
    // The types promise one; only secure pages have it.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard) clipboard.writeText(command).then(() => tell('copied'), select);
    else select();
  };
  return (
    <div className="command">
      {label === undefined ? null : <span className="quiet small">{label}</span>}
      <code ref={code} tabIndex={0}>
        {command}
      </code>
      <button type="button" className="button" onClick={copy} aria-label={`Copy: ${command}`}>
        {WORDS[state]}
      </button>
    </div>
  );
}
