import { useEffect, useState } from 'react';

interface Props {
  text: string;
  valid: boolean;
  onText: (text: string | null) => void;
}

/** Field for ranges of numbers. They apply when a person presses Enter or leaves the field. */
export function RangeField({ text, valid, onText }: Props) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const apply = (): void => {
    if (typed !== text) onText(typed || null);
  };
  return (
    <form
      className="ranges"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <input
        type="search"
        className="search"
        value={typed}
        maxLength={2000}
        placeholder="Ranges: value:1.2..1.5,metric.NAME:..0.9"
        aria-label="Ranges of numbers"
        aria-invalid={!valid}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
      />
      {valid ? null : (
        <span className="untrusted small" role="alert">
          Expected ranges such as value:1.2..1.5
        </span>
      )}
    </form>
  );
}
