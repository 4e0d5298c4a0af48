import { useId, type ReactNode } from 'react';

interface Props {
  title: string;
  /** Remark beside the title, such as a unit or a legend. */
  note?: ReactNode;
  /** Controls at the end of the title's line. */
  end?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A section of a page with a title. */
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
