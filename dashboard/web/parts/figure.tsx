import { FIGURES, type FigureName } from '../../api/figures.ts';

interface Props {
  /** Its SQL. */
  sql: FigureName;
  /** What it is of: the research, pool, host or slot that the SQL takes; null or left out for all of them. */
  of?: string | null;
  /** Of which model it is. */
  model?: string;
  /** The number as the server gave it. */
  value: number | null | undefined;
  /** As people read it, with its unit. */
  children: string;
}

/** A number that anybody can check: it carries its value and its SQL. */
export function Figure({ sql, of, model, value, children }: Props) {
  return (
    <span data-sql={sql} data-of={of ?? ''} data-model={model} data-value={value ?? ''} title={FIGURES[sql]}>
      {children}
    </span>
  );
}
