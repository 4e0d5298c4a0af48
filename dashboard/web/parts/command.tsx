import { useRef, useState } from 'react';

type State = 'ready' | 'copied' | 'selected';
const LABELS: Record<State, string> = { ready: 'Copy', copied: 'Copied', selected: 'Selected: press Ctrl-C' };

/**
 * A command to copy and run. If the browser offers no clipboard, as over plain HTTP from another host, the button
 * selects the command instead.
 */
export function Command({ command, label }: { command: string; label?: string }) {
  const [state, setState] = useState<State>('ready');
  const code = useRef<HTMLElement>(null);
  const show = (next: State): void => {
    setState(next);
    setTimeout(() => setState('ready'), 4000);
  };
  const select = (): void => {
    if (code.current) getSelection()?.selectAllChildren(code.current);
    show('selected');
  };
  const copy = (): void => {
    // TypeScript's type is never undefined, but the clipboard exists in secure contexts only.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard) clipboard.writeText(command).then(() => show('copied'), select);
    else select();
  };
  return (
    <div className="command">
      {label === undefined ? null : <span className="quiet small">{label}</span>}
      <code ref={code} tabIndex={0}>
        {command}
      </code>
      <button type="button" className="button" onClick={copy} aria-label={`Copy: ${command}`}>
        {LABELS[state]}
      </button>
    </div>
  );
}
