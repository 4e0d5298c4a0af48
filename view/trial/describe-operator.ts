/** The operator of a trial, as a surface shows it. */
interface ShownOperator {
  operator: string | null;
  operatorReason: string | null;
  secondParentId: string | null;
}

/** Describes an operator on one line: `crossover (drawn by weight), with 0a1b2c3d4e5f`; null if there is none. */
export function describeOperator({ operator, operatorReason, secondParentId }: ShownOperator): string | null {
  if (operator === null) return null;
  const reason = operatorReason === null ? '' : ` (${operatorReason})`;
  const second = secondParentId === null ? '' : `, with ${secondParentId.slice(0, 12)} as second parent`;
  return `${operator}${reason}${second}`;
}
