interface Props<T extends string> {
  label: string;
  /** Each with its word. */
  options: readonly (readonly [T, string])[];
  chosen: T;
  onChoose: (option: T) => void;
  className?: string;
}

/** One of a few, beside each other. */
export function Choice<T extends string>({ label, options, chosen, onChoose, className = '' }: Props<T>) {
  return (
    <span role="group" aria-label={label} className={`segments ${className}`}>
      {options.map(([option, word]) => (
        <button key={option} type="button" aria-pressed={option === chosen} onClick={() => onChoose(option)}>
          {word}
        </button>
      ))}
    </span>
  );
}
