import { FIGURES, type FigureName } from '../../api/figures.ts';

interface Props {
  /** Its SQL. */
  sql: FigureName;
  /** The number as the server gave it. */
  value: number | null | undefined;
  /** As people read it, with its unit. */
  children: string;
}

/** A number that anybody can check: it carries its value and its SQL. */
export function Figure({ sql, value, children }: Props) {
  return (
    <span data-sql={sql} data-value={value ?? ''} title={FIGURES[sql]}>
      {children}
    </span>
  );
}
