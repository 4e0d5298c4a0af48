import { FIGURES, type FigureName } from '../../api/figures.ts';

interface Props {
  /** Name of the figure, and of the SQL that computes it. */
  figure: FigureName;
  /** Id of the research, pool, host or slot that the SQL takes as `$1`; null or absent: all of them. */
  scopeId?: string | null;
  /** The model that the SQL takes as `$3`. */
  model?: string;
  /** The number as the server sent it. */
  value: number | null | undefined;
  /** The number as a person reads it, with its unit. */
  children: string;
}

/** A number that a person can check: the element carries its exact value and its SQL. */
export function Figure({ figure, scopeId, model, value, children }: Props) {
  return (
    <span data-sql={figure} data-of={scopeId ?? ''} data-model={model} data-value={value ?? ''} title={FIGURES[figure]}>
      {children}
    </span>
  );
}
