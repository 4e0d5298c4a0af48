import { useId, type ReactNode } from 'react';

interface Props {
  title: string;
  /** Beside the title: units, a legend, what the numbers are. */
  note?: ReactNode;
  /** At the end of the title's line. */
  end?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A titled part of a page. */
export function Panel({ title, note, end, className = '', children }: Props) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span className="quiet small">{note}</span>}
        {end === undefined ? null : <span className="end">{end}</span>}
      </header>
      {children}
    </section>
  );
}
