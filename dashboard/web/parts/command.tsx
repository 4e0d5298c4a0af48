import { useState } from 'react';

/** A command of a person's, to copy: the page itself changes nothing. */
export function Command({ command, label }: { command: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(command).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    });
  };
  return (
    <div className="command">
      {label === undefined ? null : <span className="quiet small">{label}</span>}
      <code tabIndex={0}>{command}</code>
      <button type="button" className="button" onClick={copy} aria-label={`Copy: ${command}`}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
