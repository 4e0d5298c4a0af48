import type { ReactNode } from 'react';

interface Props {
  name: string;
  /** Remark below the value: the whole that it is part of, or the reason why there is none. */
  note?: ReactNode;
  children: ReactNode;
}

/** A value with its name, in a list of class `stats`. */
export function Stat({ name, note, children }: Props) {
  return (
    <div className="stat">
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note === undefined ? null : <dd className="stat-note">{note}</dd>}
    </div>
  );
}
