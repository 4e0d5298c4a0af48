import type { CandidateColumns } from '../../../db/reads/page/candidates/read-candidate-columns.ts';
import { candidateNumberNames, candidateNumberOf, type CandidateNumber } from '../../../view/page/candidate-columns.ts';
import { RefusedInputError } from '../answer/refused-input-error.ts';

interface Given {
  /** Key of the parameter. */
  key: string;
  name: string;
  offered: Pick<CandidateColumns, 'metrics' | 'knobs'>;
  /** Further names that the parameter accepts. */
  others?: readonly string[];
}

/** The number with a name from a browser, if candidates of the research have it; else throws `RefusedInputError`. */
export function knownNumber({ key, name, offered, others = [] }: Given): CandidateNumber {
  const names = candidateNumberNames(offered);
  const number = names.includes(name) ? candidateNumberOf(name) : null;
  if (number !== null) return number;
  throw new RefusedInputError(key, `expected one of ${[...others, ...names].join(', ')}; got ${JSON.stringify(name)}`);
}
