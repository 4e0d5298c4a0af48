import { FIGURES, type FigureName } from '../../api/figures.ts';

interface Props {
  /** Name of the SQL that computes the number. */
  sql: FigureName;
  /** The research, pool, host or slot that the SQL takes as `$1`; null or absent: all of them. */
  of?: string | null;
  /** The model that the SQL takes as `$3`. */
  model?: string;
  /** The number as the server sent it. */
  value: number | null | undefined;
  /** The number as a person reads it, with its unit. */
  children: string;
}

/** A number that a person can check: the element carries its exact value and its SQL. */
export function Figure({ sql, of, model, value, children }: Props) {
  return (
    <span data-sql={sql} data-of={of ?? ''} data-model={model} data-value={value ?? ''} title={FIGURES[sql]}>
      {children}
    </span>
  );
}
